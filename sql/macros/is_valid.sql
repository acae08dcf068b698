-- is_valid(valid_from, valid_to, at): the two valid-time conditions of a live version.
-- valid_from is in (null = always), valid_to is out (null = open).
create or replace macro is_valid(valid_start, valid_end, at_instant) as (
    (valid_start is null or valid_start <= at_instant)
    and (valid_end is null or at_instant < valid_end)
);
