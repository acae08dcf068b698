-- The gaps that were closed since the last report: ids of its list ($known) that are present; without a
-- list, ids that were named by $since and deposited after it. first_named_at is over all namings.
with wanted as (
    select unnest(cast($known as varchar[])) as relay_id
    union
    select named_id from report_unmet
    where $known is null and named_at <= $since and arrived_at > $since
)
select
    p.relay_id, min(n.deposited_at) as first_named_at, p.deposited_at
from report_present as p
join wanted as w on w.relay_id = p.relay_id
left join relay_references as n on n.named_id = p.relay_id
group by p.relay_id, p.deposited_at
order by p.relay_id
