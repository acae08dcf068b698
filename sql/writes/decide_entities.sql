-- What each staged row of an import of entities says, judged in file order: what an earlier row would
-- have made counts as known. Needs entity_stage (ord, entity_uid, name, name_key, type).
-- Makes known_as (one row per ord: the uid it means, how many bear its name), judged (ord, verdict).

-- A uid that is given is made by the first row that gives it.
create or replace temp table given_firsts as
select entity_uid, min(ord) as ord
from entity_stage
where entity_uid is not null
group by entity_uid;

create or replace temp table bearers as
select name_key, entity_uid, -1 as since from entities_files
where name_key in (select name_key from entity_stage where entity_uid is null)
union all
select s.name_key, s.entity_uid, s.ord
from given_firsts as g
join entity_stage as s on s.ord = g.ord
where not exists (select 1 from entities_files as e where e.entity_uid = s.entity_uid);

-- A name that nobody bears yet is made by the first row that gives it without a uid.
create or replace temp table named_firsts as
select f.name_key, f.ord, cast(entity_uid_of(f.name_key) as varchar) as entity_uid
from (
    select name_key, min(ord) as ord from entity_stage where entity_uid is null group by name_key
) as f
where not exists (
    select 1 from bearers as b where b.name_key = f.name_key and b.since < f.ord
);

create or replace temp table known_as as
select
    s.ord, coalesce(s.entity_uid, min(b.entity_uid)) as entity_uid,
    case when s.entity_uid is null then count(b.entity_uid) else 1 end as bearers
from entity_stage as s
left join (
    select * from bearers union all select name_key, entity_uid, ord from named_firsts
) as b
    on s.entity_uid is null and b.name_key = s.name_key and b.since <= s.ord
group by s.ord, s.entity_uid;

-- The name and type of each uid: as held, else as the first row that means it says.
create or replace temp table meant as
select
    u.entity_uid, coalesce(e.name, s.name) as name, coalesce(e.name_key, s.name_key) as name_key,
    coalesce(e.type, s.type, $default_type) as type, e.entity_uid is not null as held, u.first
from (
    select entity_uid, min(ord) as first from known_as where bearers = 1 group by entity_uid
) as u
join entity_stage as s on s.ord = u.first
left join entities_files as e on e.entity_uid = u.entity_uid;

create or replace temp table judged as
select
    k.ord, k.entity_uid,
    case
        when k.bearers > 1 then 'ambiguous_name'
        when s.entity_uid is not null and s.name <> m.name then 'entity_conflict'
        when s.entity_uid is null and s.name_key <> m.name_key then 'entity_conflict'
        when s.type is not null and s.type <> m.type then 'entity_conflict'
        when not m.held and k.ord = m.first then 'created'
        else 'duplicate'
    end as verdict,
    case when s.entity_uid is not null and s.name <> m.name then 'name'
        when s.type is not null and s.type <> m.type and k.bearers = 1
            and (s.entity_uid is not null or s.name_key = m.name_key) then 'type'
        else 'name'
    end as field
from known_as as k
join entity_stage as s on s.ord = k.ord
left join meant as m on m.entity_uid = k.entity_uid and k.bearers = 1;
