-- Grain: one row per relation that is live now, by uids alone; every scope. For counts, see
-- versions_at; relations_now has the names.
-- Time: valid_from <= now < valid_to, and not superseded.
create or replace view versions_now as
select * from versions_at(null, null);
