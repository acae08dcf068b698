-- relations_at(at, as_of): the versions live at a valid-time instant, as known at a transaction-time
-- instant; every scope, endpoint names joined. Null at = now; null as_of = all that is recorded.
-- superseded_at shows only what was known by as_of, so it is null in every row of this answer.
create or replace macro relations_at("at", as_of) as table
select
    h.relation_uid, h.version, h.scope, h.subject_uid, h.subject, h.subject_type, h.predicate,
    h.object_uid, h.object, h.object_type, h.attributes, h.valid_from, h.valid_to, h.recorded_at,
    cast(null as timestamptz) as superseded_at, h.source_event_uid
from relation_history as h
where is_known(h.recorded_at, h.superseded_at, instant_or_latest(as_of))
    and is_valid(h.valid_from, h.valid_to, instant_or_now("at"));
