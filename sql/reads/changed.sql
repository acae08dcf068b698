-- The changes between two transaction instants in the wanted scopes and predicates (null = every one),
-- in the order in which they were learned, with the names of both ends.
select c.*, s.name as subject, o.name as object
from relation_changes($since, $until) as c
join entities_files as s on s.entity_uid = c.subject_uid
join entities_files as o on o.entity_uid = c.object_uid
where ($scopes is null or list_contains($scopes, c.scope))
    and ($predicates is null or list_contains($predicates, c.predicate))
order by c.recorded_at, c.relation_uid, c.valid_from nulls first
