-- PostgreSQL. Grain: one row per table, view or the like of the schema $1.
-- Columns: name, kind (table, view, other), ours (its comment ends with the mark $2), columns (name
-- and type of each, in order).
select
    c.relname::text as name,
    case c.relkind when 'r' then 'table' when 'v' then 'view' else 'other' end as kind,
    coalesce(right(obj_description(c.oid, 'pg_class'), length($2)) = $2, false) as ours,
    coalesce((
        select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
        from pg_attribute as a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), '') as columns
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind not in ('i', 'I', 't')
order by c.relname;
