-- relay_timeline(as_of, points): how many relays were present and known missing at the end of each of
-- so many equal steps, from the first deposit to as_of (null = now).
-- Columns: at (transaction time), present, known_missing.
create or replace macro relay_timeline(as_of, points) as table
with held as (
    select relay_id, deposited_at from relays_files where deposited_at <= instant_or_latest(as_of)
),
bounds as (
    select epoch_us(min(deposited_at)) as start, epoch_us(instant_or_now(as_of)) as stop from held
),
missing as (
    select min(named_at) as begins, arrived_at as ends
    from relay_unmet_as_of(as_of)
    group by named_id, arrived_at
),
events as (
    select deposited_at as at, 1 as present, 0 as missing from held
    union all
    select begins, 0, 1 from missing
    union all
    select ends, 0, -1 from missing where ends is not null
),
steps as (
    select
        greatest(
            cast(ceil((epoch_us(e.at) - b.start) * cast(points as double)
                / greatest(b.stop - b.start, 1)) as bigint), 0
        ) as step,
        sum(e.present) as present, sum(e.missing) as missing
    from events as e
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
