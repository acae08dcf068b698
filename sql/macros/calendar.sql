-- calendar(start, stop, step): the instants of a grid, to join to or to ask for. Grain: one row per
-- instant. Column: at (TIMESTAMPTZ).
-- Time: the instants are start + n * step (n = 0, 1, ...) up to stop, both ends in, counted on UTC
-- timestamps (a month is a calendar month), whatever the session's time zone is; step is an INTERVAL
-- longer than nothing.
create or replace macro calendar(start, stop, step) as table
select moment as "at"
from (
    select
        (instant(start) at time zone 'UTC' + n * cast(step as interval)) at time zone 'UTC'
            as moment
    from (
        select unnest(generate_series(
            0, cast(ceil(
                (epoch(instant(stop)) - epoch(instant(start)))
                / (0.9 * epoch(cast(step as interval)))
            ) as bigint)
        )) as n
        where cast(step as interval) > interval 0 second
    ) as numbers
) as moments
where moment <= instant(stop);
