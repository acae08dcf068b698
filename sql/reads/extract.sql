-- The self-contained copy for BI tools that want one file: native tables, sorted for zone maps.
create table extract.entities as select * from entities order by entity_uid;
create table extract.relation_history as
select * from relation_history order by predicate, valid_from, relation_uid, version;
create view extract.relations_now as
select * exclude (import_uid) from relation_history
where superseded_at is null
    and (valid_from is null or valid_from <= now())
    and (valid_to is null or now() < valid_to);
create table extract.relays as select * from relays order by relay_id;
create table extract.relay_references as select * from relay_references order by named_id, relay_id;
create table extract.relay_known_missing as select * from relay_known_missing order by relay_id;
create table extract.relay_holes as select * from relay_holes order by first;
create table extract.imports as select * from imports order by recorded_at, import_uid;
