-- utc_day(x): the day (DATE) that an instant falls on in UTC, whatever the session's time zone is. Its
-- midnight is in, the next one is not. Null stays null.
create or replace macro utc_day(x) as (cast(x at time zone 'UTC' as date));
