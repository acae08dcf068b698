-- Grain: one row per version that was ever recorded, in every scope, endpoint names joined.
-- Time: valid [valid_from, valid_to); known [recorded_at, superseded_at); null ends are open.
create or replace view relation_history as
select
    v.relation_uid, v.version, v.scope,
    v.subject_uid, s.name as subject, s.type as subject_type,
    v.predicate,
    v.object_uid, o.name as object, o.type as object_type,
    v.attributes, v.valid_from, v.valid_to, v.recorded_at, v.superseded_at,
    v.source_event_uid, v.import_uid
from relation_versions as v
left join entity_names as s on s.entity_uid = v.subject_uid
left join entity_names as o on o.entity_uid = v.object_uid;
