-- live_steps(at, as_of, direction, predicates, scopes): the steps that a walk may take over relations
-- live at (at, as_of). Grain: one row per relation and way along it.
-- Columns: from_uid, to_uid, relation_uid. direction: outgoing goes from subject to object, incoming
-- the other way, both both ways. predicates and scopes null = every one.
create or replace macro live_steps("at", as_of, direction, predicates, scopes) as table
select subject_uid as from_uid, object_uid as to_uid, relation_uid
from relation_versions
where direction <> 'incoming'
    and is_known(recorded_at, superseded_at, instant_or_latest(as_of))
    and is_valid(valid_from, valid_to, instant_or_now("at"))
    and (predicates is null or list_contains(predicates, predicate))
    and (scopes is null or list_contains(scopes, scope))
union all
select object_uid, subject_uid, relation_uid
from relation_versions_by_object
where direction <> 'outgoing'
    and is_known(recorded_at, superseded_at, instant_or_latest(as_of))
    and is_valid(valid_from, valid_to, instant_or_now("at"))
    and (predicates is null or list_contains(predicates, predicate))
    and (scopes is null or list_contains(scopes, scope));
