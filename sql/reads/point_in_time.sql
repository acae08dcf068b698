-- The matches of `probes` (probe, entity_uid, at, as_of), one row each or one without a match, in no
-- order. Of the two ends only the other one is here, with its name and type: the caller knows the
-- entity of each probe, and a text for each match that needs none costs a third of the join.
select
    m.probe, m.relation_uid, m.version, m.scope, m.predicate, o.entity_uid as other_uid,
    o.name as other, o.type as other_type, m.attributes, m.valid_from, m.valid_to, m.recorded_at,
    m.source_event_uid
from point_in_time(
    'probes', direction := $direction, predicates := $predicates, scopes := $scopes
) as m
left join entities_files as o
    on o.entity_uid = case when $direction = 'incoming' then m.subject_uid else m.object_uid end
