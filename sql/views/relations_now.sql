-- Grain: one row per relation that is live now, as far as is recorded; every scope, names joined.
-- Time: valid_from <= now < valid_to, and not superseded.
create or replace view relations_now as
select * from relations_at(null, null);
