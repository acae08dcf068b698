-- relay_holes_as_of(as_of, last_number): the holes at a transaction-time instant, up to last_number
-- (null = the last present id's). Columns: first, last (ids, both in the run), count.
create or replace macro relay_holes_as_of(as_of, last_number) as table
with hole_unmet as (select * from relay_unmet_as_of(as_of)),
hole_missing as (select * from relay_missing_among('hole_unmet')),
hole_present as (select * from relay_present_as_of(as_of))
select * from relay_holes_among('hole_missing', 'hole_present', last_number);
