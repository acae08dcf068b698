-- relay_events_as_of(as_of): what changed the counts of relays present and known missing, as far as was
-- recorded by as_of (null = all). Grain: one row per change. Columns: moment (transaction time), present
-- (1 where a relay was deposited), missing (1 where an id was first named without being held, -1 where
-- such a one was deposited).
create or replace macro relay_events_as_of(as_of) as table
with missing as (
    select min(named_at) as begins, arrived_at as ends
    from relay_unmet_as_of(as_of)
    group by named_id, arrived_at
)
select deposited_at as moment, 1 as present, 0 as missing
from relays_files
where deposited_at <= instant_or_latest(as_of)
union all
select begins, 0, 1 from missing
union all
select ends, 0, -1 from missing where ends is not null;
