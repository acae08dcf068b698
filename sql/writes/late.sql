-- History given by the source: what a row with a recorded_at may still say. A row that says what the
-- store already knew as of its recorded_at is a duplicate (a removal: unchanged); any other must be
-- later than everything held before about its scope, subject and predicate.
-- Needs staged; makes late (ord, verdict: duplicate, unchanged, backdated).
create or replace temp table newest_held as
select h.scope, cast(h.subject_uid as uuid) as su, h.predicate, max(h.recorded_at) as newest
from (select * from relations_sealed union all select * from relations_unsealed) as h
where h.subject_uid in (select cast(su as varchar) from staged)
group by all;

create or replace temp table late_rows as
select s.ord, s.kind, s.scope, s.su, s.ou, s.predicate, s.exclusive, s.f, s.t, s.attributes, s.rec
from staged as s
join newest_held as n on n.scope = s.scope and n.su = s.su and n.predicate = s.predicate
where s.rec <= n.newest;

create or replace temp table late_overlaps as
select
    l.ord, cast(v.object_uid as uuid) = l.ou as own, l.attributes as told, v.attributes,
    greatest(l.f, coalesce(v.valid_from, cast('-infinity' as timestamptz))) as f,
    least(l.t, coalesce(v.valid_to, cast('infinity' as timestamptz))) as t,
    l.f as op_f, l.t as op_t
from late_rows as l
join relation_versions as v
    on v.subject_uid = cast(l.su as varchar) and v.scope = l.scope and v.predicate = l.predicate
    and is_known(v.recorded_at, v.superseded_at, l.rec)
    and (v.valid_from is null or v.valid_from < l.t)
    and (v.valid_to is null or l.f < v.valid_to)
where cast(v.object_uid as uuid) = l.ou or (l.exclusive and l.kind = 'relate');

create or replace temp table late as
with steps as (
    select *, f > coalesce(lag(t) over (partition by ord order by f), op_f) as gap
    from late_overlaps where own
),
known as (
    select
        ord,
        not bool_or(gap) and max(t) >= any_value(op_t) as covered,
        bool_and(told is null or nullif(told, '{}') is not distinct from attributes) as alike
    from steps group by ord
)
select
    l.ord, l.kind,
    case
        when l.kind <> 'relate' then case when k.ord is null then 'unchanged' else 'backdated' end
        when k.covered and k.alike
            and not exists (select 1 from late_overlaps as r where r.ord = l.ord and not r.own)
            then 'duplicate'
        else 'backdated'
    end as verdict
from late_rows as l
left join known as k on k.ord = l.ord;
