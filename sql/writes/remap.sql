-- Names that the store knows under a given uid take that uid.
update stage set su = r.entity_uid from remapped as r
where r.uid = stage.su and stage.subject_key is not null;

update stage set ou = r.entity_uid from remapped as r
where r.uid = stage.ou and stage.object_key is not null;

create or replace temp table rehashed as
select ord, group_hash(scope, su, predicate, ou, exclusive) as gh from staged;

update stage set gh = r.gh from rehashed as r where r.ord = stage.ord;
