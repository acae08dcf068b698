-- relation_changes(since, until): what was learned between two transaction instants: the difference
-- of what was known as of `since` and as of `until`. since is out, until is in, as in as_of: calls that
-- follow each other lose nothing and repeat nothing. Null since = from the beginning; null until = all
-- that is recorded. What was learned and taken back in between is no difference.
-- Grain: one row per relation and portion of valid time [valid_from, valid_to) of which something else
-- is known; null ends are open. Columns: change, the relation's key, the portion, known_before and
-- known_after, attributes_before and attributes_after, version_before and version_after, recorded_at,
-- source_event_uid (of version_after). Portions written again because of a neighbour are no change.
-- change: created (nothing was known of the portion), corrected (other attributes, or a period that
-- was known became longer or shorter), ended (an open period got its end), retracted (recorded in
-- error). recorded_at: when version_after was recorded, or when the portion was taken away.
create or replace macro relation_changes(since, until) as table
with before as (
    select
        relation_uid, version, attributes,
        coalesce(valid_from, cast('-infinity' as timestamptz)) as f,
        coalesce(valid_to, cast('infinity' as timestamptz)) as t
    from relation_versions
    where recorded_at <= coalesce(instant(since), cast('-infinity' as timestamptz))
        and superseded_at > coalesce(instant(since), cast('-infinity' as timestamptz))
        and superseded_at <= instant_or_latest(until)
),
after as (
    select
        relation_uid, version, attributes, recorded_at, source_event_uid,
        coalesce(valid_from, cast('-infinity' as timestamptz)) as f,
        coalesce(valid_to, cast('infinity' as timestamptz)) as t
    from relation_versions
    where recorded_at > coalesce(instant(since), cast('-infinity' as timestamptz))
        and recorded_at <= instant_or_latest(until)
        and (superseded_at is null or superseded_at > instant_or_latest(until))
),
pieces as (
    select relation_uid, f, lead(f) over (partition by relation_uid order by f) as t
    from (
        select relation_uid, f from before
        union select relation_uid, t from before
        union select relation_uid, f from after
        union select relation_uid, t from after
    ) as bounds
),
differing as (
    select
        p.relation_uid, p.f, p.t, b.version as version_before, a.version as version_after,
        b.attributes as attributes_before, a.attributes as attributes_after,
        a.recorded_at, a.source_event_uid, a.f as run_f, a.t as run_t
    from pieces as p
    left join before as b on b.relation_uid = p.relation_uid and b.f <= p.f and p.f < b.t
    left join after as a on a.relation_uid = p.relation_uid and a.f <= p.f and p.f < a.t
    where p.t is not null
        and (b.version is not null or a.version is not null)
        and not (
            b.version is not null and a.version is not null
            and b.attributes is not distinct from a.attributes
        )
),
-- A gained portion whose run took over a known period with equal attributes made that one longer.
longer as (
    select distinct d.version_after, d.f
    from differing as d
    join before as b
        on b.relation_uid = d.relation_uid and b.f < d.run_t and d.run_f < b.t
        and b.attributes is not distinct from d.attributes_after
    where d.version_before is null
),
gone as (
    select
        d.relation_uid, d.f, max(v.superseded_at) as removed_at,
        bool_or(r.removal = 'retract') as retracted
    from differing as d
    join relation_versions as v
        on v.relation_uid = d.relation_uid
        and coalesce(v.valid_from, cast('-infinity' as timestamptz)) < d.t
        and d.f < coalesce(v.valid_to, cast('infinity' as timestamptz))
    left join relation_removals as r on r.version = v.version and r.removed_at = v.superseded_at
    where d.version_after is null
        and v.superseded_at > coalesce(instant(since), cast('-infinity' as timestamptz))
        and v.superseded_at <= instant_or_latest(until)
    group by d.relation_uid, d.f
)
select
    case
        when d.version_after is null and g.retracted then 'retracted'
        when d.version_after is null and not isfinite(d.t) then 'ended'
        when d.version_before is null and l.version_after is null then 'created'
        else 'corrected'
    end as change,
    d.relation_uid, k.scope, k.subject_uid, k.predicate, k.object_uid,
    case when isfinite(d.f) then d.f end as valid_from,
    case when isfinite(d.t) then d.t end as valid_to,
    d.version_before is not null as known_before, d.version_after is not null as known_after,
    d.attributes_before, d.attributes_after, d.version_before, d.version_after,
    coalesce(d.recorded_at, g.removed_at) as recorded_at, d.source_event_uid
from differing as d
join relation_versions as k on k.version = coalesce(d.version_after, d.version_before)
left join longer as l on l.version_after = d.version_after and l.f = d.f
left join gone as g on g.relation_uid = d.relation_uid and g.f = d.f;
