-- begun_order(valid_from, version): a whole number that orders versions by their start (null = always
-- is earliest), those that start together by version; no two are alike.
create or replace macro begun_order(began, version) as (
    cast(coalesce(epoch_us(began), -9000000000000000000) as hugeint) * 9223372036854775808 + version
);
