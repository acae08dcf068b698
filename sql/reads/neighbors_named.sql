-- The entities of `page`, an answer of neighbors_of, with names and types (`ends`); the path by name.
-- Order: distance, name, entity_uid.
select
    p.entity_uid, e.name as entity, e.type as entity_type, p.distance, n.path, p.path as path_uids,
    p.steps as relation_uids
from page as p
join ends as e on e.entity_uid = p.entity_uid
join (
    select u.entity_uid, list(e.name order by u.place) as path
    from (
        select entity_uid, unnest(path) as uid, generate_subscripts(path, 1) as place from page
    ) as u
    join ends as e on e.entity_uid = u.uid
    group by u.entity_uid
) as n on n.entity_uid = p.entity_uid
order by p.distance, e.name, p.entity_uid
