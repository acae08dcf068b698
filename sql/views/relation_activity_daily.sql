-- Grain: one row per UTC day and predicate, zeros too: how many relations were live at the day's
-- midnight; every scope. As far as is recorded now.
-- Columns: day, at (its midnight, UTC), predicate, live.
-- Time: valid time, from the day of the first start (at most 100 years ago) to today, both in. A start
-- at midnight counts on its day, an end at midnight no more. See relation_activity.
create or replace view relation_activity_daily as
with activity_days as materialized (select "at" from days_since(first_activity_day()))
select utc_day("at") as day, "at", predicate, live
from relation_activity_among(
    'activity_days', '-infinity', utc_midnight(utc_day(instant_or_now(null))), null, null, null
);
