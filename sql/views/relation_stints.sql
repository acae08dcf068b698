-- Grain: one row per relation and stint: a stretch of valid time without a gap, whatever its
-- attributes; every scope. As far as is recorded now.
-- Columns: relation_uid, scope, subject_uid, predicate, object_uid, stint (1, 2, ...), valid_from,
-- valid_to (null ends are open), gap_seconds (valid time between the stint before and this one; null
-- for the first).
create or replace view relation_stints as
select
    relation_uid, scope, subject_uid, predicate, object_uid, stint, valid_from, valid_to,
    date_diff(
        'microsecond', lag(valid_to) over (partition by relation_uid order by stint), valid_from
    ) / 1000000.0 as gap_seconds
from (
    select
        relation_uid, scope, subject_uid, predicate, object_uid, stint,
        case when count(valid_from) = count(*) then min(valid_from) end as valid_from,
        case when count(valid_to) = count(*) then max(valid_to) end as valid_to
    from (
        select
            relation_uid, scope, subject_uid, predicate, object_uid, valid_from, valid_to,
            cast(sum(case when valid_from <= ended then 0 else 1 end) over (
                partition by relation_uid order by valid_from nulls first
                rows between unbounded preceding and current row
            ) as bigint) as stint
        from (
            select
                relation_uid, scope, subject_uid, predicate, object_uid, valid_from, valid_to,
                lag(valid_to) over (
                    partition by relation_uid order by valid_from nulls first
                ) as ended
            from relation_versions
            where superseded_at is null
        ) as periods
    ) as numbered
    group by relation_uid, scope, subject_uid, predicate, object_uid, stint
) as stints;
