-- Grain: one row per entity; entities are neither scoped nor hidden by as_of.
-- Columns: entity_uid, name, name_key (folded, how names are matched), type, recorded_at, import_uid.
create or replace view entities as
select entity_uid, name, name_key, type, recorded_at, import_uid
from entities_files;
