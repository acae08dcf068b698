-- The rows of `page`, a listing's answer, with the names and types of their ends (`ends`).
select p.*, s.name as subject, s.type as subject_type, o.name as object, o.type as object_type
from page as p
join ends as s on s.entity_uid = p.subject_uid
join ends as o on o.entity_uid = p.object_uid
order by p.valid_from desc nulls last, p.recorded_at desc, p.relation_uid, p.version
