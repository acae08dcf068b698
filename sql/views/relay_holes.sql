-- Grain: one row per run of ids that are neither present nor named, within the known range.
-- Columns: first, last (ids, both in the run), count. Time: as far as is recorded.
create or replace view relay_holes as
select * from relay_holes_as_of(null, null);
