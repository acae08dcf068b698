-- relay_list(after, as_of): every id that is present or known missing at a transaction-time instant.
-- Columns: relay_id, state (PRESENT, KNOWN_MISSING). after is exclusive and compares as strings, by
-- code point; null = all. Null as_of = all that is recorded.
create or replace macro relay_list("after", as_of) as table
select relay_id, 'PRESENT' as state
from relays_files
where deposited_at <= instant_or_latest(as_of) and ("after" is null or relay_id > "after")
union all
select distinct named_id, 'KNOWN_MISSING'
from relay_unmet_as_of(as_of)
where arrived_at is null and ("after" is null or named_id > "after")
order by relay_id;
