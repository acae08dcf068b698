-- The entities that bear a name (matched by its folded key), in no order. Columns: uid, name, type.
select entity_uid, name, type from entities where name_key = $key
