-- Removals of relations that were never recorded, nor told earlier in the batch. Needs ops.
insert into found_rejects
select o.ord, 2, 'predicate', 'unknown_relation', o.predicate
from ops as o
where o.kind <> 'relate'
    and not exists (
        select 1 from ops as p
        where p.kind = 'relate' and p.relation_uid = o.relation_uid
            and (p.rec, p.ord) < (o.rec, o.ord)
    )
    and not exists (
        select 1 from relation_versions as v
        where v.subject_uid = cast(o.subject_uid as varchar)
            and v.relation_uid = cast(o.relation_uid as varchar)
    );
