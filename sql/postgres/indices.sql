-- PostgreSQL. What a BI tool filters and joins by; a publish makes each where it is missing.
create index if not exists entities_entity_uid on entities (entity_uid);
create index if not exists relation_history_subject_uid on relation_history (subject_uid);
create index if not exists relation_history_object_uid on relation_history (object_uid);
create index if not exists relation_history_predicate on relation_history (predicate, valid_from);
create index if not exists relays_relay_id on relays (relay_id);
create index if not exists relay_references_named_id on relay_references (named_id);
