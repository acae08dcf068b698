-- As point_in_time.sql, with at most one match per probe and predicate.
select
    m.probe, m.relation_uid, m.version, m.scope, m.predicate, o.entity_uid as other_uid,
    o.name as other, o.type as other_type, m.attributes, m.valid_from, m.valid_to, m.recorded_at,
    m.source_event_uid
from point_in_time_exclusive('probes', predicates := $predicates, scopes := $scopes) as m
left join entities_files as o
    on o.entity_uid = m.object_uid
