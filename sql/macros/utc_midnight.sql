-- utc_midnight(day): the instant (TIMESTAMPTZ) at which a day begins in UTC. Null stays null.
create or replace macro utc_midnight(day) as (cast(day as timestamp) at time zone 'UTC');
