-- relay_present_as_of(as_of): the ids held at a transaction-time instant, with their numbers.
-- Columns: relay_id, number, deposited_at. Null as_of = all that is held.
create or replace macro relay_present_as_of(as_of) as table
select relay_id, relay_number(relay_id) as number, deposited_at
from relays_files
where deposited_at <= instant_or_latest(as_of);
