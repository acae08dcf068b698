-- PostgreSQL. Grain: one row per thing of someone else that depends on the table or view $2 of the
-- schema $1; what a publish made itself ends its comment with the mark $3 and is left out.
-- Columns: dependent (what it is, for people).
select distinct
    case
        when v.oid is null then pg_describe_object(d.classid, d.objid, 0)
        else pg_describe_object('pg_class'::regclass, v.oid, 0)
    end as dependent
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
join pg_depend as d
    on (d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid)
        or (d.refclassid = 'pg_type'::regclass and d.refobjid = c.reltype)
left join pg_rewrite as r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
left join pg_class as v on v.oid = r.ev_class
where n.nspname = $1 and c.relname = $2 and d.deptype = 'n'
    and (v.oid is null or v.oid <> c.oid)
    and coalesce(right(obj_description(v.oid, 'pg_class'), length($3)) <> $3, true)
order by dependent;
