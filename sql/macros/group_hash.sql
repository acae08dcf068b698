-- group_hash(scope, subject, predicate, object, exclusive): a 64-bit stand-in for group_of, used to
-- find groups of one row; never stored.
create or replace macro group_hash(scope, subject, predicate, object, exclusive) as (
    case
        when exclusive then hash(scope, subject, predicate)
        else hash(scope, subject, predicate, object)
    end
);
