-- relation_activity_among(grid, start, stop, as_of, predicates, scopes): how many relations were live
-- at each of the instants of a table with the column `at`, by predicate. `grid` is its name; none of
-- its instants lies outside start and stop, so that versions outside them need not be looked at.
-- Grain: one row per instant and predicate, zeros too; a predicate that is live at none of them has no
-- rows. Columns: at, predicate, live. as_of null = all that is recorded; predicates and scopes null =
-- every one.
-- A sweep: a version adds one at the first instant from valid_from on and takes it off at the first
-- instant from valid_to on (histogram's bins hold their upper bound), then a running sum.
create or replace macro relation_activity_among(
    grid, start, stop, as_of, predicates, scopes
) as table
with told as materialized (select "at" as moment from query_table(grid)),
bounds as materialized (
    select coalesce(list(moment order by moment), cast([] as timestamptz[])) as moments from told
),
counted as (
    select
        predicate,
        histogram(
            coalesce(valid_from, cast('-infinity' as timestamptz)), (select moments from bounds)
        ) as begun,
        histogram(valid_to, (select moments from bounds)) filter (where valid_to is not null) as ended
    from relation_versions
    where is_known(recorded_at, superseded_at, instant_or_latest(as_of))
        and (valid_from is null or valid_from <= instant(stop))
        and (valid_to is null or valid_to > instant(start))
        and (predicates is null or list_contains(predicates, predicate))
        and (scopes is null or list_contains(scopes, scope))
    group by predicate
),
steps as (
    select predicate, moment, sum(n) as n
    from (
        select predicate, unnest(map_keys(begun)) as moment, unnest(map_values(begun)) as n
        from counted
        union all
        select predicate, unnest(map_keys(ended)), -cast(unnest(map_values(ended)) as bigint)
        from counted
    ) as both_ends
    group by predicate, moment
)
select moment as "at", predicate, live
from (
    select
        g.moment, c.predicate,
        cast(sum(coalesce(s.n, 0)) over (
            partition by c.predicate order by g.moment rows unbounded preceding
        ) as bigint) as live
    from told as g
    cross join (select predicate from counted) as c
    left join steps as s on s.predicate = c.predicate and s.moment = g.moment
) as swept
qualify max(live) over (partition by predicate) > 0;
