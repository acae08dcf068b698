-- Entities by name, then uid; $like is found anywhere in the folded name, with no wildcards.
select entity_uid, name, type, recorded_at
from entities
where $like is null or contains(name_key, $like)
order by name_key, entity_uid
