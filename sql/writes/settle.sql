-- The end of a transaction instant for the stretches of `turn` that settle: what is current now
-- (runs_now) is held against what was current before it (settled). What was born and superseded
-- within the instant is not written.

create or replace temp table same as
select s.*
from settled as s
join turn as o on o.gid = s.gid and o.settles
join runs_now as r
    on r.gid = s.gid and r.relation_uid = s.relation_uid and r.f = s.f and r.t = s.t
    and r.attributes is not distinct from s.attributes and r.event is not distinct from s.event;

create or replace temp table gone as
select s.* from settled as s
join turn as o on o.gid = s.gid and o.settles
where not exists (select 1 from same as k where k.sid = s.sid);

create or replace temp table fresh as
select -nextval('written_ids') as tid, r.*, o.rec, o.ord
from runs_now as r
join turn as o on o.gid = r.gid and o.settles
where not exists (
    select 1 from same as k
    where k.gid = r.gid and k.relation_uid = r.relation_uid and k.f = r.f
);

-- Each new version names the versions whose period it takes over.
insert into written
select
    n.tid, n.gid, n.relation_uid, n.object_uid, n.f, n.t, n.attributes, n.event, n.rec, n.ord, null,
    coalesce(list(g.sid order by g.sid) filter (where g.sid is not null), [])
from fresh as n
left join gone as g
    on g.gid = n.gid and g.relation_uid = n.relation_uid and g.f < n.t and n.f < g.t
group by all;

-- Versions of which nothing is left are named by a removal, which says why.
insert into written
select
    -nextval('written_ids'), gid, relation_uid, any_value(object_uid), min(f), max(t), null, null,
    rec, any_value(ord), removal, list(sid order by sid)
from (
    select
        g.*, o.rec, o.ord,
        case
            when bool_or(c.kind = 'retract') then 'retract'
            else arg_min(c.kind, c.turn_no)
        end as removal
    from gone as g
    join turn as o on o.gid = g.gid
    left join cuts as c
        on c.gid = g.gid and c.f < g.t and g.f < c.t
        and (c.relation_uid = g.relation_uid) = (c.kind <> 'exclusive')
    where not exists (
        select 1 from fresh as n
        where n.gid = g.gid and n.relation_uid = g.relation_uid and g.f < n.t and n.f < g.t
    )
    group by all
) as orphans
group by gid, relation_uid, rec, removal;

-- Stretches with calls left go on; sid is the version of what is written.
create or replace temp table carried as
select r.* exclude (sid), coalesce(k.sid, n.tid) as sid
from runs_now as r
join turn as o on o.gid = r.gid and o.settles and not o.ends
left join same as k on k.gid = r.gid and k.relation_uid = r.relation_uid and k.f = r.f
left join fresh as n on n.gid = r.gid and n.relation_uid = r.relation_uid and n.f = r.f;

delete from settled where gid in (select gid from turn where settles);

insert into settled select * from carried;

delete from cuts where gid in (select gid from turn where settles);
