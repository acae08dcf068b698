-- Grain: one row per version in a file that `optimize` has not written yet; see relation_versions.
create or replace view relation_versions_unsealed as
select
    u.version, u.relation_uid, u.scope, u.subject_uid, u.predicate, u.object_uid, u.attributes,
    u.valid_from, u.valid_to, u.recorded_at,
    coalesce(u.superseded_at, e.superseded_at) as superseded_at,
    u.source_event_uid, u.import_uid
from relations_unsealed as u
left join relation_endings as e on u.version = e.version
where u.removal is null;
