-- The five names nearest to one that is not known. Columns: uid, name, type.
select entity_uid, name, type
from entities
where jaro_winkler_similarity(name_key, $key) >= 0.84 or contains(name_key, $key)
order by jaro_winkler_similarity(name_key, $key) desc, name_key, entity_uid
limit 5
