-- is_known(recorded_at, superseded_at, as_of): the two transaction-time conditions of a live version.
-- Both bounds: recorded_at is in, superseded_at is out.
create or replace macro is_known(recorded, superseded, as_of) as (
    recorded <= as_of and (superseded is null or superseded > as_of)
);
