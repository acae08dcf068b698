-- Number what the rounds wrote: version = $base + 1, ... in order of transaction instant; what a row
-- supersedes is named by version. Needs written and ranked; makes numbered.
create or replace temp table numbers as
select tid, $base + row_number() over (order by rec, tid desc) as version from written;

create or replace temp table named as
select w.tid, list(coalesce(n.version, w.sid) order by coalesce(n.version, w.sid)) as supersedes
from (select tid, unnest(supersedes) as sid from written) as w
left join numbers as n on n.tid = w.sid
group by w.tid;

create or replace temp table numbered as
select
    n.version, w.relation_uid, o.scope, o.subject_uid, o.predicate, w.object_uid, w.attributes,
    w.f, w.t, w.rec, coalesce(s.supersedes, []) as supersedes, w.removal, w.event, o.file_no
from written as w
join numbers as n on n.tid = w.tid
join ops as o on o.ord = w.ord
left join named as s on s.tid = w.tid;
