-- Grain: one row per version that was ever recorded, in every scope; removals are not among them.
-- Columns: the relation's key and uid, attributes (JSON text), valid period [valid_from, valid_to),
-- transaction period [recorded_at, superseded_at), where it came from. Names are not joined here.
create or replace view relation_versions as
select
    s.version, s.relation_uid, s.scope, s.subject_uid, s.predicate, s.object_uid, s.attributes,
    s.valid_from, s.valid_to, s.recorded_at,
    coalesce(s.superseded_at, e.superseded_at) as superseded_at,
    s.source_event_uid, s.import_uid
from relations_sealed as s
left join relation_endings as e on s.version = e.version
where s.removal is null
union all
select * from relation_versions_unsealed;
