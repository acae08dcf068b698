-- Adds to contested the groups of which the store holds a current version.
insert into contested
select distinct
    group_hash(v.scope, cast(v.subject_uid as uuid), v.predicate, cast(v.object_uid as uuid),
        list_contains($exclusive, v.predicate))
from relation_versions as v
where v.superseded_at is null
    and v.subject_uid in (select cast(su as varchar) from staged);
