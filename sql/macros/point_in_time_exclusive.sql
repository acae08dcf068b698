-- point_in_time_exclusive(probes): as point_in_time, but at most one row per probe and predicate: of
-- the relations that were live, the one that began last (null valid_from is earliest); of those that
-- began together, the one with the highest version. Subjects only.
-- For single-valued predicates that is what an ASOF join gives over the versions known at as_of. It is
-- not written as one: an ASOF join has one inequality, so it cannot tell what each probe knew at an
-- as_of of its own, it skips a live relation behind one that began later and has ended, and it is no
-- faster. Rows are dropped only where a probe has several matches of a predicate.
create or replace macro point_in_time_exclusive(probes, predicates := null, scopes := null) as table
with matches as materialized (
    select
        p.* exclude (probe_at, probe_as_of), v.relation_uid, v.version, v.scope, v.subject_uid,
        v.predicate, v.object_uid, v.attributes, v.valid_from, v.valid_to, v.recorded_at,
        v.source_event_uid, begun_order(v.valid_from, v.version) as begun
    from (
        select
            *, row_number() over () as probe_no, instant("at") as probe_at,
            instant_or_latest(as_of) as probe_as_of
        from query_table(probes)
    ) as p
    left join relation_versions as v
        on v.subject_uid = cast(p.entity_uid as varchar)
        and is_known(v.recorded_at, v.superseded_at, p.probe_as_of)
        and is_valid(v.valid_from, v.valid_to, p.probe_at)
        and (predicates is null or list_contains(predicates, v.predicate))
        and (scopes is null or list_contains(scopes, v.scope))
),
latest as (
    select m.probe_no, m.predicate, max(m.begun) as begun
    from matches as m
    group by m.probe_no, m.predicate
    having count(*) > 1
)
select m.* exclude (probe_no, begun)
from matches as m
where not exists (
    select 1 from latest as l
    where l.probe_no = m.probe_no and l.predicate = m.predicate and l.begun > m.begun
);
