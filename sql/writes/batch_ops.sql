-- The contested rows of a staged batch as calls of the sequenced write.
create or replace temp table ops as
select
    s.ord, s.file_no, s.kind, s.exclusive, s.scope, s.su as subject_uid, s.predicate,
    s.ou as object_uid, relation_uid_of(s.scope, s.su, s.predicate, s.ou) as relation_uid,
    s.f, s.t, s.attributes, s.event, s.rec,
    group_of(s.scope, s.su, s.predicate, s.ou, s.exclusive) as gk
from staged as s
where s.gh in (select gh from contested);
