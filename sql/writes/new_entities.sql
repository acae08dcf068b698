-- The entities that a staged batch makes: name and type are those of the first row that names it.
-- Needs staged and implied_types; makes new_entities.
create or replace temp table first_mentions as
select uid, min(mention) as mention
from (
    select su as uid, ord * 2 as mention from staged
    where kind = 'relate' and subject_key is not null
    union all
    select ou, ord * 2 + 1 from staged where kind = 'relate' and object_key is not null
) as mentions
group by uid;

create or replace temp table new_entities as
select
    cast(f.uid as varchar) as entity_uid,
    case when f.mention % 2 = 0 then s.subject else s.object end as name,
    case when f.mention % 2 = 0 then s.subject_key else s.object_key end as name_key,
    case
        when f.mention % 2 = 0 then coalesce(s.subject_type, i.subject_type, $default_type)
        else coalesce(s.object_type, i.object_type, $default_type)
    end as type,
    $instant as recorded_at, b.import_uid
from first_mentions as f
join staged as s on s.ord = f.mention // 2
join batch_files as b on b.file_no = s.file_no
left join implied_types as i on i.predicate = s.predicate
where not exists (
    select 1 from entities_files as e where e.entity_uid = cast(f.uid as varchar)
);
