-- Grain: one row per UTC day from the first to the last day of the other daily views, a dimension to
-- join them to. Columns: day, at (its midnight, UTC), year, quarter, month, iso_year and iso_week (the
-- week begins on Monday; it belongs to the year of its Thursday), weekday (1 = Monday ... 7 = Sunday).
-- Time: from the day of the first start (at most 100 years ago) or of the first deposit to today, both
-- in. The macro of this name gives any other grid.
create or replace view calendar as
select
    day, "at", year(day) as year, quarter(day) as quarter, month(day) as month,
    isoyear(day) as iso_year, week(day) as iso_week, isodow(day) as weekday
from days_since(least(first_activity_day(), first_relay_day()));
