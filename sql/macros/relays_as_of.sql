-- relays_as_of(as_of): the records held at a transaction-time instant (deposited_at <= as_of), one row
-- each, with what was known of their parent then. Null as_of = all that is held.
-- continuity: NO_CLAIM (no parent), UNANCHORED (a digest without a parent), LABEL_ONLY (a parent
-- without a digest), UNCHECKABLE (the parent is not held), MATCHES, DIVERGES. held = the sha256 of the
-- held parent.
create or replace macro relays_as_of(as_of) as table
select
    r.relay_id, r.sha256, octet_length(r.record) as bytes, r.sender, r.recipients, r.parent,
    r.parent_sha256, r.refs, r.kind, r.provenance, r.deposited_by, r.deposited_at, r.import_uid,
    case
        when r.parent is null and r.parent_sha256 is null then 'NO_CLAIM'
        when r.parent is null then 'UNANCHORED'
        when r.parent_sha256 is null then 'LABEL_ONLY'
        when p.sha256 is null then 'UNCHECKABLE'
        when p.sha256 = lower(r.parent_sha256) then 'MATCHES'
        else 'DIVERGES'
    end as continuity,
    p.sha256 as held, r.record
from relays_files as r
left join (
    select relay_id, any_value(sha256) as sha256
    from relays_files
    where deposited_at <= instant_or_latest(as_of)
    group by relay_id
) as p on p.relay_id = r.parent
where r.deposited_at <= instant_or_latest(as_of);
