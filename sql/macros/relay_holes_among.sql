-- relay_holes_among(missing, present, last_number): the runs of ids that are neither present (columns of
-- relay_present_as_of) nor named (columns of relay_missing_among), from the declared first number, else
-- the first present id, to last_number (null = that of the last present id).
-- Columns: first, last (ids, both in the run), count.
create or replace macro relay_holes_among(missing, present, last_number) as table
with ends as (
    select
        coalesce(relay_first(), min(number)) as lowest,
        coalesce(last_number, max(number)) as highest
    from query_table(present)
),
taken as (
    select lowest - 1 as number from ends
    union all
    select highest + 1 from ends
    union all
    select p.number
    from query_table(present) as p
    join ends as e on p.number between e.lowest and e.highest
    union all
    select m.number
    from query_table(missing) as m
    join ends as e on m.number between e.lowest and e.highest
),
runs as (
    select number + 1 as first, lead(number) over (order by number) - 1 as last
    from taken
    where number is not null
)
select relay_id_of(first) as first, relay_id_of(last) as last, last - first + 1 as count
from runs
where first <= last
order by runs.first;
