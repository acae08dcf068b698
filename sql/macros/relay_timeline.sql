-- relay_timeline(as_of, points): how many relays were present and known missing at the end of each of
-- so many equal steps, from the first deposit to as_of (null = now).
-- Columns: at (transaction time), present, known_missing.
create or replace macro relay_timeline(as_of, points) as table
with bounds as (
    select epoch_us(min(deposited_at)) as start, epoch_us(instant_or_now(as_of)) as stop
    from relays_files
    where deposited_at <= instant_or_latest(as_of)
),
steps as (
    select
        greatest(
            cast(ceil((epoch_us(e.moment) - b.start) * cast(points as double)
                / greatest(b.stop - b.start, 1)) as bigint), 0
        ) as step,
        sum(e.present) as present, sum(e.missing) as missing
    from relay_events_as_of(as_of) as e
    cross join bounds as b
    group by 1
),
grid as (
    select unnest(range(cast(points as bigint) + 1)) as step
)
select
    make_timestamptz(b.start + cast((b.stop - b.start) * cast(g.step as hugeint) // points as bigint)) as at,
    cast(coalesce(sum(s.present) over w, 0) as bigint) as present,
    cast(coalesce(sum(s.missing) over w, 0) as bigint) as known_missing
from grid as g
cross join bounds as b
left join steps as s on s.step = g.step
where b.start is not null
window w as (order by g.step)
order by g.step;
