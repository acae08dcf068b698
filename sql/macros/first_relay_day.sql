-- first_relay_day(): the day with which relay_gap_history begins: that of the first deposit. Null where
-- no relay is held.
create or replace macro first_relay_day() as (
    select least(utc_day(min(deposited_at)), case when count(*) > 0 then utc_day(instant_or_now(null)) end)
    from relays_files
);
