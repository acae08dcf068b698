-- How many entities were told with another type than they have; a type is never changed by an import.
with told as (
    select su as uid, subject_type as type from staged where subject_type is not null
    union all
    select ou, object_type from staged where object_type is not null
),
types as (
    select uid, min(type) as lowest, max(type) as highest from told group by uid
)
select count(*) as n
from types as t
left join entities_files as e on e.entity_uid = cast(t.uid as varchar)
left join new_entities as m on m.entity_uid = cast(t.uid as varchar)
where t.lowest <> coalesce(e.type, m.type) or t.highest <> coalesce(e.type, m.type)
