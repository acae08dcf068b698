-- The current versions of the groups that a batch touches. Needs ops; makes held.
create or replace temp table held as
with groups as (
    select distinct scope, cast(subject_uid as varchar) as subject_uid, predicate, gk, exclusive,
        case when not exclusive then cast(relation_uid as varchar) end as relation_uid
    from ops
)
select
    g.gk, cast(v.relation_uid as uuid) as relation_uid, cast(v.object_uid as uuid) as object_uid,
    coalesce(v.valid_from, cast('-infinity' as timestamptz)) as f,
    coalesce(v.valid_to, cast('infinity' as timestamptz)) as t,
    v.attributes, v.source_event_uid as event, v.version
from relation_versions as v
join groups as g
    on v.subject_uid = g.subject_uid and v.relation_uid = g.relation_uid
where v.superseded_at is null and not g.exclusive
union all
select
    g.gk, cast(v.relation_uid as uuid), cast(v.object_uid as uuid),
    coalesce(v.valid_from, cast('-infinity' as timestamptz)),
    coalesce(v.valid_to, cast('infinity' as timestamptz)),
    v.attributes, v.source_event_uid, v.version
from relation_versions as v
join groups as g
    on v.subject_uid = g.subject_uid and v.predicate = g.predicate and v.scope = g.scope
where v.superseded_at is null and g.exclusive;
