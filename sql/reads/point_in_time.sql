-- The matches of `probes` (probe, entity_uid, at, as_of), one row each, with the names of both ends.
-- Order: probe, then the order of listings.
select
    m.probe, m.relation_uid, m.version, m.scope, m.subject_uid, s.name as subject, m.predicate,
    m.object_uid, o.name as object, o.type as object_type, m.attributes, m.valid_from, m.valid_to,
    m.recorded_at, m.source_event_uid
from point_in_time(
    'probes', direction := $direction, predicates := $predicates, scopes := $scopes
) as m
left join entities_files as s on s.entity_uid = m.subject_uid
left join entities_files as o on o.entity_uid = m.object_uid
