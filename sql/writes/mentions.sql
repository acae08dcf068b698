-- Resolve the names of a staged batch against the store: one row per distinct name key.
-- Needs staged and the store's views; makes mentioned, matched, remapped and found_rejects.
create or replace temp table mentioned as
select uid, any_value(key) as key
from (
    select su as uid, subject_key as key from staged where subject_key is not null
    union all
    select ou, object_key from staged where object_key is not null
) as names
group by uid;

create or replace temp table matched as
select m.uid, count(*) as bearers, min(cast(e.entity_uid as uuid)) as entity_uid
from mentioned as m
join entities_files as e on e.name_key = m.key
group by m.uid;

create or replace temp table remapped as
select uid, entity_uid from matched where bearers = 1 and uid <> entity_uid;

insert into found_rejects
with ends as (
    select ord, 0 as side, su as uid, subject as name, subject_key as key, 'subject' as field
    from staged
    union all
    select ord, 1, ou, object, object_key, 'object' from staged
),
made as (
    select uid, min(ord * 2 + side) as first from ends where key is not null group by uid
)
select e.ord, e.side, e.field, 'ambiguous_name' as reason, e.name
from ends as e
join matched as m on m.uid = e.uid and m.bearers > 1
where e.key is not null
union all
select e.ord, e.side, e.field, 'entity_conflict', e.name
from ends as e
join entities_files as t on t.entity_uid = cast(e.uid as varchar)
where e.key is not null and not exists (select 1 from matched as m where m.uid = e.uid)
union all
select e.ord, e.side, e.field, 'unknown_uid', cast(e.uid as varchar)
from ends as e
left join made as m on m.uid = e.uid and m.first < e.ord * 2 + e.side
where e.key is null and m.uid is null
    and not exists (select 1 from entities_files as t where t.entity_uid = cast(e.uid as varchar));
