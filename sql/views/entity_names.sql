-- Grain: one row per entity_uid. Columns: entity_uid, name, type.
-- Grouped, so that a query that reads no name pays for no join.
create or replace view entity_names as
select entity_uid, any_value(name) as name, any_value(type) as type
from entities_files
group by entity_uid;
