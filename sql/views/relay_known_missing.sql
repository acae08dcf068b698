-- Grain: one row per id that a held record names and whose bytes are not held.
-- Columns: relay_id, named_by, first_named_at, age_seconds, previous_present, next_present,
-- issued_after, issued_before (see relay_gaps_as_of). Time: as far as is recorded, judged now.
create or replace view relay_known_missing as
select * from relay_gaps_as_of(null);
