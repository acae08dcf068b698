-- The entities that an import of entities makes, in the columns of the table.
create or replace temp table made_entities as
select
    j.entity_uid, m.name, m.name_key, m.type, cast($instant as timestamptz) as recorded_at,
    i.import_uid
from judged as j
join meant as m on m.entity_uid = j.entity_uid
join entity_stage as s on s.ord = j.ord
join import_uids as i on i.file_no = s.file_no
where j.verdict = 'created';
