-- instant(x): any way of writing an instant, as TIMESTAMP WITH TIME ZONE (microseconds, UTC).
-- A TIMESTAMPTZ stays as it is; text with an offset or the name of a zone is cast; text, TIMESTAMP or
-- DATE without one is read as UTC, whatever the session's time zone is. Null stays null.
-- The test of the type is folded away when the query is bound: a column of instants costs nothing.
create or replace macro instant(x) as (
    case
        when x is null then null
        when typeof(x) = 'TIMESTAMP WITH TIME ZONE' then cast(x as timestamptz)
        when regexp_matches(cast(x as varchar), ':[0-9.]+ ?([zZ]|[+-][0-9:]+)$')
            then cast(replace(replace(cast(x as varchar), 't', 'T'), 'z', 'Z') as timestamptz)
        when regexp_matches(cast(x as varchar), ':[0-9.]+ *[A-Za-z][A-Za-z0-9_+/-]+$')
            then cast(cast(x as varchar) as timestamptz)
        else cast(cast(x as varchar) as timestamp) at time zone 'UTC'
    end
);
