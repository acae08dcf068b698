-- point_in_time_exclusive(probes): as point_in_time, but at most one row per probe and predicate: of
-- the relations that were live, the one that began last (null valid_from is earliest); of those that
-- began together the one recorded last, then the one with the highest version. Subjects only.
-- For single-valued predicates that is what an ASOF join gives over the versions known at as_of. It is
-- not written as one: an ASOF join has one inequality, so it cannot tell what each probe knew at an
-- as_of of its own, and skips a live relation behind one that began later and has ended.
create or replace macro point_in_time_exclusive(probes, predicates := null, scopes := null) as table
with probed as materialized (
    select *, row_number() over () as probe_no, instant("at") as probe_at,
        instant_or_latest(as_of) as probe_as_of
    from query_table(probes)
),
latest as (
    select
        p.probe_no, v.predicate,
        arg_max(
            {
                'relation_uid': v.relation_uid, 'version': v.version, 'scope': v.scope,
                'subject_uid': v.subject_uid, 'object_uid': v.object_uid,
                'attributes': v.attributes, 'valid_from': v.valid_from, 'valid_to': v.valid_to,
                'recorded_at': v.recorded_at, 'source_event_uid': v.source_event_uid
            },
            {
                'began': coalesce(v.valid_from, cast('-infinity' as timestamptz)),
                'recorded': v.recorded_at, 'version': v.version
            }
        ) as v
    from probed as p
    join relation_versions as v
        on v.subject_uid = cast(p.entity_uid as varchar)
        and is_known(v.recorded_at, v.superseded_at, p.probe_as_of)
        and is_valid(v.valid_from, v.valid_to, p.probe_at)
    where (predicates is null or list_contains(predicates, v.predicate))
        and (scopes is null or list_contains(scopes, v.scope))
    group by p.probe_no, v.predicate
)
select
    p.* exclude (probe_no, probe_at, probe_as_of), l.v.relation_uid, l.v.version, l.v.scope,
    l.v.subject_uid, l.predicate, l.v.object_uid, l.v.attributes, l.v.valid_from, l.v.valid_to,
    l.v.recorded_at, l.v.source_event_uid
from probed as p
left join latest as l on l.probe_no = p.probe_no;
