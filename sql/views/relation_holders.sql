-- Grain: one row per scope, predicate, object and stretch of valid time in which the same number of
-- subjects hold the predicate of it at once; every scope. As far as is recorded now.
-- Columns: scope, predicate, object_uid, object, valid_from, valid_to (null ends are open), holders.
create or replace view relation_holders as
select
    h.scope, h.predicate, h.object_uid, o.name as object,
    case when h.f > cast('-infinity' as timestamptz) then h.f end as valid_from,
    case when h.t < cast('infinity' as timestamptz) then h.t end as valid_to,
    cast(h.holders as bigint) as holders
from (
    select
        scope, predicate, object_uid, f, holders,
        lead(f) over (partition by scope, predicate, object_uid order by f) as t
    from (
        select
            scope, predicate, object_uid, f, holders,
            lag(holders) over (partition by scope, predicate, object_uid order by f) as holders_before
        from (
            select
                scope, predicate, object_uid, f,
                sum(change) over (
                    partition by scope, predicate, object_uid order by f
                    rows between unbounded preceding and current row
                ) as holders
            from (
                select scope, predicate, object_uid, f, sum(change) as change
                from (
                    select
                        scope, predicate, object_uid,
                        coalesce(valid_from, cast('-infinity' as timestamptz)) as f, 1 as change
                    from relation_versions
                    where superseded_at is null
                    union all
                    select
                        scope, predicate, object_uid,
                        coalesce(valid_to, cast('infinity' as timestamptz)), -1
                    from relation_versions
                    where superseded_at is null
                ) as ends
                group by scope, predicate, object_uid, f
            ) as changes
        ) as counted
    ) as compared
    where holders_before is null or holders <> holders_before
) as h
left join entity_names as o on o.entity_uid = h.object_uid
where h.holders > 0;
