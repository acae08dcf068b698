-- relay_missing_among(unmet): the ids known to be missing, from a table of relay_unmet_as_of's columns.
-- Columns: relay_id, named_by (sorted, each once), first_named_at, number (null for an id of another
-- form than the store's).
create or replace macro relay_missing_among(unmet) as table
select
    named_id as relay_id, list_sort(list(distinct relay_id)) as named_by,
    min(named_at) as first_named_at, relay_number(named_id) as number
from query_table(unmet)
where arrived_at is null
group by named_id;
