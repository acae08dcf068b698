-- The known-missing ids of a gap report that are at least $older_than seconds old, each told new or not.
-- New = not in $known, the list of the last report; or first named after $since; else every one.
select
    g.*,
    case
        when $known is not null then k.relay_id is null
        when $since is not null then g.first_named_at > $since
        else true
    end as is_new
from relay_gaps_among('report_missing', 'report_present', $as_of) as g
left join (select unnest(cast($known as varchar[])) as relay_id) as k on k.relay_id = g.relay_id
where g.age_seconds >= $older_than
order by g.relay_id
