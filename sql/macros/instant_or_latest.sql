-- instant_or_latest(x): the transaction-time instant asked about. Null means all that is recorded.
create or replace macro instant_or_latest(x) as (
    coalesce(instant(x), cast('infinity' as timestamptz))
);
