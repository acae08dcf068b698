-- Grain: one row per relay that is held. Columns: relay_id, sha256, bytes (length of the record),
-- sender, recipients, parent, parent_sha256, refs, kind, provenance, deposited_by, deposited_at
-- (transaction time), import_uid, continuity (see relays_as_of), record (the exact bytes).
create or replace view relays as
select
    relay_id, sha256, bytes, sender, recipients, parent, parent_sha256, refs, kind, provenance,
    deposited_by, deposited_at, import_uid, continuity, record
from relays_as_of(null);
