-- Grain: one row per relation of which something is known now; every scope.
-- Columns: relation_uid, scope, subject_uid, subject, predicate, object_uid, object, stints (how many),
-- valid_from (of the first), valid_to (of the last; null ends are open), valid_seconds (total valid
-- time; an open stint counts up to now, null where one has no start), gap_seconds (between stints),
-- longest_gap_seconds.
create or replace view relation_durations as
select
    d.relation_uid, d.scope, d.subject_uid, s.name as subject, d.predicate, d.object_uid,
    o.name as object, d.stints, d.valid_from, d.valid_to, d.valid_seconds, d.gap_seconds,
    d.longest_gap_seconds
from (
    select
        relation_uid, scope, subject_uid, predicate, object_uid, cast(count(*) as bigint) as stints,
        case when count(valid_from) = count(*) then min(valid_from) end as valid_from,
        case when count(valid_to) = count(*) then max(valid_to) end as valid_to,
        case
            when count(valid_from) = count(*)
                then sum(greatest(
                    0, date_diff('microsecond', valid_from, coalesce(valid_to, now())) / 1000000.0
                ))
        end as valid_seconds,
        coalesce(sum(gap_seconds), 0) as gap_seconds, max(gap_seconds) as longest_gap_seconds
    from relation_stints
    group by relation_uid, scope, subject_uid, predicate, object_uid
) as d
left join entity_names as s on s.entity_uid = d.subject_uid
left join entity_names as o on o.entity_uid = d.object_uid;
