-- The records whose digest of their parent does not hold: DIVERGES, or UNANCHORED (no parent named).
-- Columns: relay_id, parent, continuity, claimed and held (sha256).
select relay_id, parent, continuity, parent_sha256 as claimed, held
from relays_as_of($as_of)
where parent_sha256 is not null and continuity in ('DIVERGES', 'UNANCHORED')
order by relay_id
