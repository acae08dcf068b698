-- Judge the staged relays: a held id keeps its bytes, of one id in a batch the first row is taken.
-- Needs relay_stage (ord, file_no, relay_id, sha256, sender, recipients, parent, parent_sha256, refs,
-- kind, deposited_at, …); makes relay_future, relay_first_rows, relay_judged.
create or replace temp table relay_future as
select ord from relay_stage where deposited_at > $instant;

create or replace temp table relay_first_rows as
select relay_id, min(ord) as ord
from relay_stage
where ord not in (select ord from relay_future)
group by relay_id;

-- the ids of the batch that are held, each with what it must agree with to be the same relay
create or replace temp table relay_held as
select
    relay_id, sha256, sender, recipients, parent, parent_sha256, refs, kind
from relays_files
where relay_id in (select relay_id from relay_first_rows);

-- rows that add nothing: differs is the first thing that is not as held, null for the same relay
create or replace temp table relay_judged as
with rivals as (
    select s.*
    from relay_stage as s
    join relay_first_rows as f on f.relay_id = s.relay_id
    where s.ord not in (select ord from relay_future)
        and (s.ord <> f.ord or s.relay_id in (select relay_id from relay_held))
),
taken as (
    select relay_id, sha256, sender, recipients, parent, parent_sha256, refs, kind from relay_held
    union all
    select s.relay_id, s.sha256, s.sender, s.recipients, s.parent, s.parent_sha256, s.refs, s.kind
    from relay_stage as s
    join relay_first_rows as f on f.ord = s.ord
    where s.relay_id not in (select relay_id from relay_held)
        and s.relay_id in (select relay_id from rivals)
)
select
    r.ord, r.file_no, r.relay_id, t.sha256 as held, r.sha256 as given,
    case
        when r.sha256 <> t.sha256 then 'record'
        when r.parent is distinct from t.parent then 'parent'
        when r.parent_sha256 is distinct from t.parent_sha256 then 'parent_sha256'
        when r.refs is distinct from t.refs then 'refs'
        when r.sender is distinct from t.sender then 'from'
        when r.recipients is distinct from t.recipients then 'to'
        when r.kind is distinct from t.kind then 'kind'
    end as differs
from rivals as r
join taken as t on t.relay_id = r.relay_id;
