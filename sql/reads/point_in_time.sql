-- The matches of `probes` (probe, entity_uid, at, as_of, and the entity's name and type), one row each
-- or one without a match, in no order. The other end's name is joined; the entity's is at hand.
select
    m.probe, m.relation_uid, m.version, m.scope, m.subject_uid,
    case when $direction = 'incoming' then o.name when m.version is not null then m.name end as subject,
    m.predicate, m.object_uid,
    case when $direction = 'incoming' and m.version is not null then m.name else o.name end as object,
    case when $direction = 'incoming' and m.version is not null then m.type else o.type end as object_type,
    m.attributes, m.valid_from, m.valid_to, m.recorded_at, m.source_event_uid
from point_in_time(
    'probes', direction := $direction, predicates := $predicates, scopes := $scopes
) as m
left join entities_files as o
    on o.entity_uid = case when $direction = 'incoming' then m.subject_uid else m.object_uid end
