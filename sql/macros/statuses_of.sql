-- statuses_of(entity_uid, at, as_of): every version with this entity at one end that was recorded by
-- as_of, with its status judged at `at`: the first that applies of retracted, superseded, expired
-- (valid_to <= at), future (valid_from > at), live.
create or replace macro statuses_of(entity_uid, "at", as_of) as table
select
    v.*,
    case
        when r.version is not null and v.superseded_at is not null then 'retracted'
        when v.superseded_at is not null then 'superseded'
        when v.valid_to <= instant_or_now("at") then 'expired'
        when v.valid_from > instant_or_now("at") then 'future'
        else 'live'
    end as status
from versions_of(entity_uid, as_of) as v
left join (
    select version, min(removed_at) as removed_at
    from relation_removals where removal = 'retract' group by version
) as r on r.version = v.version and r.removed_at = v.superseded_at;
