-- versions_of(entity_uid, as_of): every version with this entity at one end that was recorded by
-- as_of, tagged outgoing (it is the subject) or incoming (the object); no names.
-- superseded_at is shown only when it was known by as_of.
create or replace macro versions_of(entity_uid, as_of) as table
select
    'outgoing' as direction, v.relation_uid, v.version, v.scope, v.subject_uid, v.predicate,
    v.object_uid, v.attributes, v.valid_from, v.valid_to, v.recorded_at,
    case when v.superseded_at <= instant_or_latest(as_of) then v.superseded_at end as superseded_at,
    v.source_event_uid
from relation_versions as v
where v.subject_uid = cast(entity_uid as varchar) and v.recorded_at <= instant_or_latest(as_of)
union all
select
    'incoming', v.relation_uid, v.version, v.scope, v.subject_uid, v.predicate,
    v.object_uid, v.attributes, v.valid_from, v.valid_to, v.recorded_at,
    case when v.superseded_at <= instant_or_latest(as_of) then v.superseded_at end,
    v.source_event_uid
from relation_versions_by_object as v
where v.object_uid = cast(entity_uid as varchar) and v.recorded_at <= instant_or_latest(as_of);
