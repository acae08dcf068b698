-- instant_or_now(x): the valid-time instant asked about. Null means now, or the newest commit's
-- instant if that is later (the store's clock may run a microsecond ahead of the reader's).
create or replace macro instant_or_now(x) as (
    coalesce(instant(x), greatest(now(), newest_commit()))
);
