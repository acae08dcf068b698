-- One row of counts. live_relations and current_versions are as of all that is recorded.
select
    (select count(*) from entities_files) as entities,
    (select count(distinct relation_uid) from relation_versions) as relations,
    (select count(*) from relation_versions) as versions,
    (select count(*) from relation_versions where superseded_at is null) as current_versions,
    (select count(*) from relations_at(null, null)) as live_relations,
    (select count(*) from relays_files) as relays,
    (select count(*) from imports_files) as imports
