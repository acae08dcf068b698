-- Grain and columns: those of relation_versions. Its sealed part is read from the copy that is sorted
-- by object, where there is one: the way in for a filter on object_uid.
create or replace view relation_versions_by_object as
select
    s.version, s.relation_uid, s.scope, s.subject_uid, s.predicate, s.object_uid, s.attributes,
    s.valid_from, s.valid_to, s.recorded_at,
    coalesce(s.superseded_at, e.superseded_at) as superseded_at,
    s.source_event_uid, s.import_uid
from relations_sealed_by_object as s
left join relation_endings as e on s.version = e.version
where s.removal is null
union all
select * from relation_versions_unsealed;
