-- relations_of(entity_uid, at, as_of): the versions live at (at, as_of) with this entity at one end,
-- tagged outgoing or incoming; every scope; uids only, a face joins names to the rows it shows.
create or replace macro relations_of(entity_uid, "at", as_of) as table
select v.*
from versions_of(entity_uid, as_of) as v
where v.superseded_at is null
    and is_valid(v.valid_from, v.valid_to, instant_or_now("at"));
