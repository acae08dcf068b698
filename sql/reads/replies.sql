-- The held records that name an id, one row per naming, in id order.
-- Columns: relay_id, via (parent, ref), kind, sender, deposited_at (transaction time).
select relay_id, via, kind, sender, deposited_at
from relay_references
where named_id = $relay_id
order by relay_id, via
