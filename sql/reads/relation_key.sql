-- The key of a relation that was ever held. Columns: scope, subject_uid, predicate, object_uid.
select scope, subject_uid, predicate, object_uid
from relation_versions
where relation_uid = $relation_uid
limit 1
