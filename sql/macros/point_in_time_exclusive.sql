-- point_in_time_exclusive(probes): as point_in_time, but at most one row per probe and predicate: of
-- the relations that were live, the one that began last (null valid_from is earliest); of those that
-- began together, the one with the highest version. Subjects only.
-- For single-valued predicates that is what an ASOF join gives over the versions known at as_of. It is
-- not written as one: an ASOF join has one inequality, so it cannot tell what each probe knew at an
-- as_of of its own, it skips a live relation behind one that began later and has ended, and it is no
-- faster. Only the few probes that have several matches of a predicate are put in order.
create or replace macro point_in_time_exclusive(probes, predicates := null, scopes := null) as table
with matches as materialized (
    select
        p.* exclude (probe_at, probe_as_of), v.relation_uid, v.version, v.scope, v.subject_uid,
        v.predicate, v.object_uid, v.attributes, v.valid_from, v.valid_to, v.recorded_at,
        v.source_event_uid
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
several as (
    select probe_no, predicate from matches group by probe_no, predicate having count(*) > 1
),
beaten as (
    select b.probe_no, b.version
    from (
        select
            m.probe_no, m.version,
            row_number() over (
                partition by m.probe_no, m.predicate
                order by m.valid_from desc nulls last, m.version desc
            ) as place
        from matches as m
        join several as s on s.probe_no = m.probe_no and s.predicate = m.predicate
    ) as b
    where b.place > 1
)
select m.* exclude (probe_no)
from matches as m
where not exists (
    select 1 from beaten as b where b.probe_no = m.probe_no and b.version = m.version
);
