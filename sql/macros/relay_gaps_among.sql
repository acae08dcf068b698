-- relay_gaps_among(missing, present, as_of): the missing ids (columns of relay_missing_among), each
-- bracketed by its nearest neighbours among those present (columns of relay_present_as_of), found by
-- ASOF joins over the numbers, which are distinct. Ids of another form have no neighbours.
-- Columns: relay_id, named_by, first_named_at, age_seconds (whole, up to as_of; null = now),
-- previous_present, next_present, issued_after and issued_before (when those two were deposited).
create or replace macro relay_gaps_among(missing, present, as_of) as table
select
    m.relay_id, m.named_by, m.first_named_at,
    whole_seconds(m.first_named_at, instant_or_now(as_of)) as age_seconds,
    b.relay_id as previous_present, n.relay_id as next_present,
    b.deposited_at as issued_after, n.deposited_at as issued_before
from query_table(missing) as m
asof left join query_table(present) as b on m.number > b.number
asof left join query_table(present) as n on m.number < n.number
order by m.relay_id;
