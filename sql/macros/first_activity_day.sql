-- first_activity_day(): the day with which relation_activity_daily begins: that of the first start that
-- is known now, at most 100 years ago; today where none is known or all are to come. Null where
-- nothing is known.
create or replace macro first_activity_day() as (
    select
        case
            when count(*) > 0 then least(
                utc_day(instant_or_now(null)),
                greatest(
                    coalesce(utc_day(min(valid_from)), utc_day(instant_or_now(null))),
                    cast(utc_day(instant_or_now(null)) - interval 100 year as date)
                )
            )
        end
    from relation_versions
    where superseded_at is null
);
