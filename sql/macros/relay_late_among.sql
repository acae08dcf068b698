-- relay_late_among(unmet): the held records that arrived after another record had named them, from a
-- table of relay_unmet_as_of's columns.
-- Columns: relay_id, first_named_at, deposited_at, delay_seconds (whole). Transaction time.
create or replace macro relay_late_among(unmet) as table
select
    named_id as relay_id, min(named_at) as first_named_at, arrived_at as deposited_at,
    whole_seconds(min(named_at), arrived_at) as delay_seconds
from query_table(unmet)
where arrived_at is not null
group by named_id, arrived_at
order by named_id;
