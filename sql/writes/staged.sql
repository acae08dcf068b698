-- Every staged row with its defaults filled in: the view that the steps of an import read.
-- valid_from not given is the row's transaction instant; a retract covers all of valid time.
create or replace temp table batch_settings as
select
    cast($instant as timestamptz) as instant, cast($scope as varchar) as scope,
    cast($exclusive as varchar[]) as exclusive, cast($base as bigint) as base;

create or replace temp view staged as
select
    r.ord, r.file_no, r.gh, r.su, r.ou, r.subject, r.subject_key, r.subject_type,
    r.object, r.object_key, r.object_type, r.predicate,
    coalesce(r.kind, 'relate') as kind, coalesce(r.scope, b.scope) as scope,
    list_contains(b.exclusive, r.predicate) as exclusive, r.attributes, r.event,
    coalesce(r.rec, b.instant) as rec,
    case
        when r.kind = 'retract' then cast('-infinity' as timestamptz)
        else coalesce(r.valid_from, r.rec, b.instant)
    end as f,
    case
        when r.kind = 'retract' then cast('infinity' as timestamptz)
        else coalesce(r.valid_to, cast('infinity' as timestamptz))
    end as t
from stage_rows as r
cross join batch_settings as b;

create or replace temp table found_rejects (
    ord bigint, side integer, field varchar, reason varchar, value varchar
);
