-- The relays that a batch adds, in the columns of the relays table and in file order.
-- Needs relay_stage, relay_first_rows, relay_judged and relay_files (file_no, import_uid, instant).
select
    s.relay_id, s.record, s.sha256, s.sender, s.recipients, s.parent, s.parent_sha256, s.refs,
    s.kind, s.provenance, s.deposited_by, coalesce(s.deposited_at, f.instant) as deposited_at,
    f.import_uid
from relay_stage as s
join relay_files as f on f.file_no = s.file_no
where s.ord in (select ord from relay_first_rows)
    and s.ord not in (select ord from relay_judged)
