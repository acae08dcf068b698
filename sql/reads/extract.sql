-- The self-contained copy for BI tools that want one file: native tables, sorted for zone maps, named
-- and with columns as the views of the door. What depends on now is as of the copying, but for
-- relations_now, which is judged when it is asked. relays comes from extract_relays.sql or
-- extract_relay_bytes.sql.
create table extract.entities as select * from entities order by entity_uid;
create table extract.relation_history as
select * from relation_history order by predicate, valid_from, relation_uid, version;
create view extract.relations_now as
select
    relation_uid, version, scope, subject_uid, subject, subject_type, predicate, object_uid, object,
    object_type, attributes, valid_from, valid_to, recorded_at, superseded_at, source_event_uid
from relation_history
where superseded_at is null
    and (valid_from is null or valid_from <= now())
    and (valid_to is null or now() < valid_to);
create table extract.relation_stints as
select * from relation_stints order by predicate, valid_from, relation_uid, stint;
-- relation_durations is made of the stints: they are read from the copy, not found again
create or replace view relation_stints as select * from extract.relation_stints;
create table extract.relation_durations as
select * from relation_durations order by predicate, valid_from, relation_uid;
create table extract.relation_holders as
select * from relation_holders order by predicate, valid_from, object_uid, scope;
create table extract.relation_activity_daily as
select * from relation_activity_daily order by predicate, day;
create table extract.calendar as select * from calendar order by day;
create table extract.relay_references as
select * from relay_references order by named_id, relay_id, via;
create table extract.relay_known_missing as select * from relay_known_missing order by relay_id;
create table extract.relay_holes as select * from relay_holes order by first;
create table extract.relay_gap_history as select * from relay_gap_history order by day;
create table extract.imports as select * from imports order by recorded_at, import_uid;
