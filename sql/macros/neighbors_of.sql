-- neighbors_of(entity_uid, at, as_of, depth): every entity that is reachable within `depth` steps over
-- relations live at (at, as_of), once each, with its distance and one shortest path; the start is not
-- among them. direction, predicates and scopes as in live_steps; null = every one.
-- Grain: one row per entity reached. Columns: entity_uid, distance, path (the uids from the start to
-- the entity, both in), steps (the relation_uid of each step). Of several shortest paths the one that
-- sorts first. An entity is expanded once, at its distance: cycles end, a hub is expanded once.
-- The first three steps are written out, since only there the engine hands the frontier to the Parquet
-- scan (row groups without it are not read); a recursive step reads all of relations.
create or replace macro neighbors_of(
    entity_uid, "at", as_of, depth, direction := 'both', predicates := null, scopes := null
) as table
with recursive
start as materialized (
    select
        cast(entity_uid as varchar) as uid,
        {'path': [cast(entity_uid as varchar)], 'steps': cast([] as varchar[])} as route
    where depth >= 1
),
first_step as materialized (
    select e.to_uid as uid, min(longer_route(f.route, e.to_uid, e.relation_uid)) as route
    from live_steps("at", as_of, direction, predicates, scopes) as e
    join start as f on f.uid = e.from_uid
    where e.to_uid not in (select uid from start)
    group by e.to_uid
),
second_step as materialized (
    select e.to_uid as uid, min(longer_route(f.route, e.to_uid, e.relation_uid)) as route
    from live_steps("at", as_of, direction, predicates, scopes) as e
    join (select uid, route from first_step where depth >= 2) as f on f.uid = e.from_uid
    where e.to_uid not in (select uid from start union all select uid from first_step)
    group by e.to_uid
),
third_step as materialized (
    select e.to_uid as uid, min(longer_route(f.route, e.to_uid, e.relation_uid)) as route
    from live_steps("at", as_of, direction, predicates, scopes) as e
    join (select uid, route from second_step where depth >= 3) as f on f.uid = e.from_uid
    where e.to_uid not in (
        select uid from start union all select uid from first_step
        union all select uid from second_step
    )
    group by e.to_uid
),
-- Each further step carries on all that is reached so far, so that nothing is reached twice; the walk
-- ends when a step reaches nothing new. (USING KEY would carry less, but DuckDB before 1.3 could then
-- not open the catalog.)
walk(step_no, uid, distance, route) as (
    (
        select 3 as step_no, uid, 0 as distance, route from start
        union all select 3, uid, 1, route from first_step
        union all select 3, uid, 2, route from second_step
        union all select 3, uid, 3, route from third_step
    )
    union all
    select
        next_step.step_no, next_step.uid, min(next_step.distance),
        arg_min(next_step.route, {'distance': next_step.distance, 'route': next_step.route})
    from (
        select w.step_no + 1 as step_no, w.uid, w.distance, w.route
        from walk as w
        where w.step_no < depth and exists (select 1 from walk as n where n.distance = n.step_no)
        union all
        select w.step_no + 1, e.to_uid, w.step_no + 1, longer_route(w.route, e.to_uid, e.relation_uid)
        from walk as w
        join live_steps(
            "at", as_of, case when depth > 3 then direction end, predicates, scopes
        ) as e on e.from_uid = w.uid
        where w.step_no < depth and w.distance = w.step_no
    ) as next_step
    group by next_step.step_no, next_step.uid
)
select uid as entity_uid, distance, route.path as path, route.steps as steps
from walk
where distance > 0 and step_no = (select max(step_no) from walk);
