-- relation_contradictions(wanted, at, as_of): the subjects that have more than one live object of a
-- predicate of which one is expected. Grain: one row per scope, subject and predicate; every scope.
-- Columns: scope, subject_uid, subject, predicate, objects (how many), object_uids, object_names (both
-- by uid). Time: live at (at, as_of); null at = now, null as_of = all that is recorded. `wanted` is
-- the predicate; null asks for every predicate.
create or replace macro relation_contradictions(wanted, "at", as_of) as table
select
    v.scope, v.subject_uid, any_value(s.name) as subject, v.predicate, count(*) as objects,
    list(v.object_uid order by v.object_uid) as object_uids,
    list(o.name order by v.object_uid) as object_names
from relation_versions as v
left join entity_names as s on s.entity_uid = v.subject_uid
left join entity_names as o on o.entity_uid = v.object_uid
where is_known(v.recorded_at, v.superseded_at, instant_or_latest(as_of))
    and is_valid(v.valid_from, v.valid_to, instant_or_now("at"))
    and (wanted is null or v.predicate = wanted)
group by v.scope, v.subject_uid, v.predicate
having count(*) > 1;
