-- Grain: one row per naming: a held record names an id as its parent or among its refs.
-- Columns: relay_id (the record that names), via (parent, ref), named_id, kind, sender, deposited_at
-- (transaction time, when the naming became known). A named id need not have the store's form.
create or replace view relay_references as
select relay_id, 'parent' as via, parent as named_id, kind, sender, deposited_at
from relays_files
where parent is not null
union all
select relay_id, 'ref', unnest(refs), kind, sender, deposited_at
from relays_files
where len(refs) > 0;
