-- Grain: one row per UTC day: how many relays were present and how many ids known missing at the day's
-- midnight. As far as is recorded. Columns: day, at (its midnight, UTC), present, known_missing.
-- Time: transaction time, from the day of the first deposit to today, both in. What was deposited at
-- midnight is present on that day, and what it names is known missing from then on.
create or replace view relay_gap_history as
with steps as (
    -- the first midnight that is not before the event
    select
        utc_day(moment + interval 1 day - interval 1 microsecond) as day,
        sum(present) as present, sum(missing) as missing
    from relay_events_as_of(null)
    group by 1
)
select
    d.day, d."at",
    cast(coalesce(sum(s.present) over w, 0) as bigint) as present,
    cast(coalesce(sum(s.missing) over w, 0) as bigint) as known_missing
from days_since(first_relay_day()) as d
left join steps as s on s.day = d.day
window w as (order by d.day);
