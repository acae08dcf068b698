-- Late rows that are refused: removals of what was never recorded (an earlier relate of the same key in
-- the batch is late too: either held already, or refused), and rows that would change an answer given.
insert into found_rejects
select s.ord, 2, 'predicate', 'unknown_relation', s.predicate
from late as l
join staged as s on s.ord = l.ord
where s.kind <> 'relate'
    and not exists (
        select 1 from relation_versions as v
        where v.subject_uid = cast(s.su as varchar) and v.object_uid = cast(s.ou as varchar)
            and v.predicate = s.predicate and v.scope = s.scope
    )
union all
select s.ord, 3, 'recorded_at', 'backdated', strftime(s.rec, '%Y-%m-%dT%H:%M:%S.%fZ')
from late as l
join staged as s on s.ord = l.ord
where l.verdict = 'backdated';
