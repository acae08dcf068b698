-- Every row of relations with superseded_at filled from the rows that name it; sealed by optimize.
select
    r.version, r.relation_uid, r.scope, r.subject_uid, r.predicate, r.object_uid, r.attributes,
    r.valid_from, r.valid_to, r.recorded_at, r.supersedes,
    coalesce(r.superseded_at, e.superseded_at) as superseded_at,
    r.removal, r.source_event_uid, r.import_uid
from (select * from relations_sealed union all select * from relations_unsealed) as r
left join relation_endings as e on e.version = r.version
