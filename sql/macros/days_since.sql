-- days_since(first_day): the days from first_day to today, both in, with their midnights in UTC; none
-- where it is null. Grain: one row per UTC day. Columns: day (DATE), at (TIMESTAMPTZ).
create or replace macro days_since(first_day) as table
select cast(moment as date) as day, utc_midnight(moment) as "at"
from (
    select unnest(generate_series(
        cast(first_day as timestamp), cast(utc_day(instant_or_now(null)) as timestamp),
        interval 1 day
    )) as moment
) as days;
