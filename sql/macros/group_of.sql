-- group_of(scope, subject, predicate, object, exclusive): what the sequenced write paints together:
-- one relation, or with an exclusive predicate all objects of the scope, subject and predicate.
create or replace macro group_of(scope, subject, predicate, object, exclusive) as (
    case
        when exclusive then relation_uid_of(scope, subject, predicate, '*')
        else relation_uid_of(scope, subject, predicate, object)
    end
);
