-- The uncontested rows of a staged batch in the columns of the relations table, numbered from the
-- largest version held, in file order.
select
    w.base + s.ord + 1 as version,
    cast(relation_uid_of(s.scope, s.su, s.predicate, s.ou) as varchar) as relation_uid, s.scope,
    cast(s.su as varchar) as subject_uid, s.predicate, cast(s.ou as varchar) as object_uid,
    nullif(s.attributes, '{}') as attributes,
    case when isfinite(s.f) then s.f end as valid_from,
    case when isfinite(s.t) then s.t end as valid_to,
    s.rec as recorded_at, cast([] as bigint[]) as supersedes,
    cast(null as timestamptz) as superseded_at, cast(null as varchar) as removal,
    s.event as source_event_uid, b.import_uid
from staged as s
join batch_files as b on b.file_no = s.file_no
cross join batch_settings as w
where s.gh not in (select gh from contested)
