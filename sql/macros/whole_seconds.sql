-- whole_seconds(start, stop): the whole seconds from one instant to a later one.
create or replace macro whole_seconds(start, stop) as (
    cast((epoch_us(stop) - epoch_us(start)) // 1000000 as bigint)
);
