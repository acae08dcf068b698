-- What the entity cells of probes mean. Needs cells: cell_no, key (a folded name) or uid.
-- Columns: cell_no, entity_uid (null unless exactly one entity is meant), found (how many are).
select c.cell_no, case when count(e.entity_uid) = 1 then min(e.entity_uid) end as entity_uid,
    count(e.entity_uid) as found
from cells as c
left join entities_files as e on e.name_key = c.key
where c.key is not null
group by c.cell_no
union all
select c.cell_no, e.entity_uid, case when e.entity_uid is null then 0 else 1 end
from cells as c
left join entity_names as e on e.entity_uid = c.uid
where c.key is null
