-- What must hold of the rows and does not: severity, subject, finding. No row when all is well.
select 'error' as severity, 'relation ' || relation_uid as subject,
    'versions ' || version || ' and ' || next_version || ' overlap in valid time at one transaction '
    || 'instant' as finding
from (
    select relation_uid, version, valid_to,
        lead(version) over w as next_version, lead(valid_from) over w as next_from
    from relation_versions
    where superseded_at is null
    window w as (partition by relation_uid order by valid_from nulls first, version)
)
where next_version is not null and (valid_to is null or next_from is null or next_from < valid_to)
union all
select 'error', 'version ' || version, 'is held ' || count(*) || ' times'
from relation_versions group by version having count(*) > 1
union all
select 'error', 'version ' || version, 'its valid period is empty or reversed'
from relation_versions where valid_to <= valid_from
union all
select 'error', 'entity ' || entity_uid, 'is held ' || count(*) || ' times'
from entities_files group by entity_uid having count(*) > 1
union all
select 'error', 'relation ' || v.relation_uid, 'an end is no known entity'
from relation_versions as v
left join entity_names as s on s.entity_uid = v.subject_uid
left join entity_names as o on o.entity_uid = v.object_uid
where s.entity_uid is null or o.entity_uid is null
union all
select 'error', 'relay ' || relay_id, 'is held ' || count(*) || ' times'
from relays_files group by relay_id having count(*) > 1
union all
select 'error', 'relay ' || relay_id, 'its bytes do not have the sha256 that was kept with them'
from relays_files where sha256 is distinct from sha256(record)
union all
select 'info', count(*) || ' entities',
    'have no relation; an interrupted import may have left them, they do no harm'
from entities_files as e
where not exists (select 1 from relation_versions as v where v.subject_uid = e.entity_uid)
    and not exists (select 1 from relation_versions as v where v.object_uid = e.entity_uid)
having count(*) > 0
union all
select 'warning', 'import of ' || i.file,
    'is told done in imports, but no row of it is there: its commit may be lost, restore a copy'
from imports_files as i
where i.kind = 'relations' and i.created > 0
    and not exists (
        select 1
        from (
            select import_uid from relations_sealed union all
            select import_uid from relations_unsealed
        ) as r
        where r.import_uid = i.import_uid
    )
