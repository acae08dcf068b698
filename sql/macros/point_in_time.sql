-- point_in_time(probes): for each row of a table or view, the relations that were live at its `at` as
-- known at its `as_of`. `probes` is a name; needs the columns entity_uid, at, as_of.
-- Grain: one row per probe and match; a probe without a match stays once, with nulls. Columns: those of
-- the probes, then those of the version; uids only. The entity is the subject, or with
-- direction := 'incoming' the object. predicates and scopes null = every one.
-- Time: a null as_of is all that is recorded; a null at, or entity_uid, matches nothing. Nothing
-- recorded after as_of and nothing that began after at is seen. A hash join with range conditions.
create or replace macro point_in_time(
    probes, direction := 'outgoing', predicates := null, scopes := null
) as table
select
    p.* exclude (probe_at, probe_as_of), v.relation_uid, v.version, v.scope, v.subject_uid,
    v.predicate, v.object_uid, v.attributes, v.valid_from, v.valid_to, v.recorded_at,
    v.source_event_uid
from (
    select *, instant("at") as probe_at, instant_or_latest(as_of) as probe_as_of
    from query_table(probes)
) as p
left join relation_versions as v
    on case direction when 'incoming' then v.object_uid else v.subject_uid end
        = cast(p.entity_uid as varchar)
    and is_known(v.recorded_at, v.superseded_at, p.probe_as_of)
    and is_valid(v.valid_from, v.valid_to, p.probe_at)
    and (predicates is null or list_contains(predicates, v.predicate))
    and (scopes is null or list_contains(scopes, v.scope));
