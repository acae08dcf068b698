-- versions_at(at, as_of): what relations_at answers, by uids alone: no names are joined, which at ten
-- million rows is the difference between a scan and two large joins. Every scope.
-- Null at = now; null as_of = all that is recorded.
create or replace macro versions_at("at", as_of) as table
select
    v.relation_uid, v.version, v.scope, v.subject_uid, v.predicate, v.object_uid, v.attributes,
    v.valid_from, v.valid_to, v.recorded_at, v.source_event_uid
from relation_versions as v
where is_known(v.recorded_at, v.superseded_at, instant_or_latest(as_of))
    and is_valid(v.valid_from, v.valid_to, instant_or_now("at"));
