-- What the entity cells of probes mean. Needs cells: cell_no, key (a folded name) or uid.
-- Columns: cell_no, found (how many entities are meant), and of exactly one entity_uid, name, type.
select
    c.cell_no, count(e.entity_uid) as found,
    case when count(e.entity_uid) = 1 then min(e.entity_uid) end as entity_uid,
    case when count(e.entity_uid) = 1 then min(e.name) end as name,
    case when count(e.entity_uid) = 1 then min(e.type) end as type
from cells as c
left join entities_files as e on e.name_key = c.key
where c.key is not null
group by c.cell_no
union all
select
    c.cell_no, case when e.entity_uid is null then 0 else 1 end, e.entity_uid, e.name, e.type
from cells as c
left join entity_names as e on e.entity_uid = c.uid
where c.key is null
