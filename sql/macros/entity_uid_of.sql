-- entity_uid_of(name_key): the uid of an entity that is created by its name.
create or replace macro entity_uid_of(name_key) as (uid_of('entity' || chr(10) || name_key));
