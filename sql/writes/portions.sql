-- The sequenced write, before its first round.
-- Reads  ops  : one row per call: ord, file_no, kind (relate, unrelate, retract), exclusive, the
--               relation's key and uid, period [f, t) with infinities, attributes ('{}' = none, null =
--               keep what is there), event, rec (transaction instant), gk (what is painted together:
--               the relation; with exclusive predicates the scope, subject and predicate);
--        held : the current versions of those groups, with their version.
-- Makes  spans, ranked, runs, settled, written, outcomes, cuts.

-- Calls and versions that neither overlap nor meet cannot touch each other: each connected stretch of
-- valid time of a group is painted on its own (gid), so that far fewer rounds are needed.
create or replace temp table spans as
select
    is_op, id,
    sum(case when f <= reach then 0 else 1 end) over (
        order by gk, f, t, is_op, id rows unbounded preceding
    ) as gid
from (
    select
        gk, f, t, is_op, id,
        max(t) over (
            partition by gk order by f, t, is_op, id
            rows between unbounded preceding and 1 preceding
        ) as reach
    from (
        select gk, f, t, true as is_op, ord as id from ops
        union all
        select gk, f, t, false, version from held
    ) as both_kinds
) as reached;

-- Calls of a stretch apply by transaction instant, within one instant in the order of the call.
create or replace temp table ranked as
select
    o.*, s.gid,
    row_number() over w as turn_no,
    lead(o.rec) over w is distinct from o.rec as settles,
    lead(o.rec) over w is null as ends
from ops as o
join spans as s on s.is_op and s.id = o.ord
window w as (partition by s.gid order by o.rec, o.ord);

-- runs: what is current while the calls apply. settled: what was current after the last finished
-- transaction instant; sid is its version (negative: written by this batch, not numbered yet).
create or replace temp table runs as
select
    s.gid, h.relation_uid, h.object_uid, h.f, h.t, h.attributes, h.event, h.version as sid
from held as h
join spans as s on not s.is_op and s.id = h.version
where s.gid in (select gid from ranked);

create or replace temp table settled as select * from runs;

create or replace temp table written (
    tid bigint, gid bigint, relation_uid uuid, object_uid uuid, f timestamptz, t timestamptz,
    attributes varchar, event varchar, rec timestamptz, ord bigint, removal varchar,
    supersedes bigint[]
);

create or replace temp table outcomes (ord bigint, status varchar);

create or replace temp table cuts (
    gid bigint, relation_uid uuid, f timestamptz, t timestamptz, kind varchar, turn_no bigint
);

create or replace temp sequence written_ids;
