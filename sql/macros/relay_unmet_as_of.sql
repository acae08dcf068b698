-- relay_unmet_as_of(as_of): one row per naming of an id that was not held when it was named.
-- Columns: relay_id (the record that names), named_id, named_at, arrived_at (when the named record was
-- deposited, null where it was not by as_of). Transaction time; null as_of = all that is recorded.
create or replace macro relay_unmet_as_of(as_of) as table
select n.relay_id, n.named_id, n.deposited_at as named_at, p.deposited_at as arrived_at
from relay_references as n
left join (
    select relay_id, deposited_at from relays_files where deposited_at <= instant_or_latest(as_of)
) as p on p.relay_id = n.named_id
where n.deposited_at <= instant_or_latest(as_of)
    and (p.deposited_at is null or p.deposited_at > n.deposited_at);
