-- One entity by its uid. Columns: uid, name, type.
select entity_uid, name, type from entities where entity_uid = $uid limit 1
