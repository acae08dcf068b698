-- One round of the sequenced write: the call number $turn of every stretch, all stretches at once.

create or replace temp table turn as select * from ranked where turn_no = $turn;

-- What a call can change: runs of its relation that overlap or meet its period, and, of an exclusive
-- relate, the overlapping runs of its rivals.
create or replace temp table touched as
select
    r.*, o.f as op_f, o.t as op_t, o.kind,
    r.relation_uid = o.relation_uid as own,
    r.f < o.t and o.f < r.t as inside
from runs as r
join turn as o on o.gid = r.gid
where (
        r.relation_uid = o.relation_uid
        and r.f <= o.t and o.f <= r.t
        and (o.kind = 'relate' or (r.f < o.t and o.f < r.t))
    )
    or (
        o.exclusive and o.kind = 'relate' and r.relation_uid <> o.relation_uid
        and r.f < o.t and o.f < r.t
    );

create or replace temp table islands as
with
-- What lies outside the period stays as it is.
outside as (
    select gid, relation_uid, object_uid, f, op_f as t, attributes, event, false as told
    from touched where inside and f < op_f
    union all
    select gid, relation_uid, object_uid, op_t, t, attributes, event, false
    from touched where inside and t > op_t
    union all
    select gid, relation_uid, object_uid, f, t, attributes, event, false
    from touched where not inside
),
-- What a relate says of the part that was known: its attributes, or those that are there.
known as (
    select
        h.gid, h.relation_uid, h.object_uid, greatest(h.f, h.op_f) as f, least(h.t, h.op_t) as t,
        case when o.attributes is null then h.attributes else nullif(o.attributes, '{}') end
            as attributes,
        h.event,
        o.attributes is null or nullif(o.attributes, '{}') is not distinct from h.attributes
            as alike
    from touched as h
    join turn as o on o.gid = h.gid
    where h.own and h.inside and h.kind = 'relate'
),
-- The part that was not known: before, between and behind the known parts.
gaps as (
    select gid, coalesce(lag(t) over (partition by gid order by f), op_f) as f, f as t
    from (select k.*, o.f as op_f from known as k join turn as o on o.gid = k.gid) as starts
    union all
    select o.gid, coalesce(max(k.t), any_value(o.f)), any_value(o.t)
    from turn as o
    left join known as k on k.gid = o.gid
    where o.kind = 'relate'
    group by o.gid
),
pieces as (
    select *, true as from_run from outside
    union all
    select gid, relation_uid, object_uid, f, t, attributes, event, true, alike from known
    union all
    select
        g.gid, o.relation_uid, o.object_uid, g.f, g.t, nullif(o.attributes, '{}'), null, true, false
    from gaps as g
    join turn as o on o.gid = g.gid
    where g.f < g.t
),
-- Pieces that meet with equal attributes become one.
marked as (
    select
        *,
        case
            when f = lag(t) over w and attributes is not distinct from lag(attributes) over w then 0
            else 1
        end as starts
    from pieces
    window w as (partition by gid, relation_uid order by f)
),
numbered as (
    select
        *,
        sum(starts) over (partition by gid, relation_uid order by f rows unbounded preceding) as no
    from marked
)
select
    n.gid, n.relation_uid, any_value(n.object_uid) as object_uid, min(n.f) as f, max(n.t) as t,
    any_value(n.attributes) as attributes,
    -- the call's source event if it gives one, else that of the first known part of equal attributes
    case
        when bool_or(n.told) and any_value(o.event) is not null then any_value(o.event)
        else first(n.event order by n.f) filter (where n.from_run)
    end as event
from numbered as n
join turn as o on o.gid = n.gid
group by n.gid, n.relation_uid, n.no;

-- An island that comes out as a run was is that run, untouched.
create or replace temp table killed as
select h.* from touched as h
where not exists (
    select 1 from islands as i
    where i.gid = h.gid and i.relation_uid = h.relation_uid and i.f = h.f and i.t = h.t
        and i.attributes is not distinct from h.attributes
);

create or replace temp table born as
select i.* from islands as i
where not exists (
    select 1 from touched as h
    where i.gid = h.gid and i.relation_uid = h.relation_uid and i.f = h.f and i.t = h.t
        and i.attributes is not distinct from h.attributes
);

insert into outcomes
select
    o.ord,
    case
        when o.kind <> 'relate' then case when k.gid is null then 'unchanged' else 'removed' end
        when k.gid is not null then 'corrected'
        when b.gid is not null then 'created'
        else 'duplicate'
    end
from turn as o
left join (select distinct gid from killed) as k on k.gid = o.gid
left join (select distinct gid from born) as b on b.gid = o.gid;

insert into cuts
select distinct
    o.gid, o.relation_uid, o.f, o.t, case when o.kind = 'relate' then 'exclusive' else o.kind end,
    o.turn_no
from turn as o
join killed as k on k.gid = o.gid
where o.kind <> 'relate' or not k.own;

create or replace temp table runs_now as
select r.* from runs as r
where r.gid in (select gid from turn)
    and not exists (
        select 1 from killed as k
        where k.gid = r.gid and k.relation_uid = r.relation_uid and k.f = r.f
    )
union all
select gid, relation_uid, object_uid, f, t, attributes, event, null from born;

-- Stretches with calls left go on.
create or replace temp table runs as
select r.* from runs_now as r join turn as o on o.gid = r.gid and not o.ends;
