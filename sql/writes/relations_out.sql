-- The rows of a relations file, in the columns of the table, from what the rounds numbered.
select
    version, cast(relation_uid as varchar) as relation_uid, scope,
    cast(subject_uid as varchar) as subject_uid, predicate,
    cast(object_uid as varchar) as object_uid, attributes,
    case when isfinite(f) then f end as valid_from, case when isfinite(t) then t end as valid_to,
    rec as recorded_at, supersedes, case when removal is not null then rec end as superseded_at,
    removal, event as source_event_uid, i.import_uid
from numbered
left join batch_files as i on i.file_no = numbered.file_no
order by version
