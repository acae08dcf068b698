-- One call as the batch of the sequenced write; an exclusive one is painted with its rivals.
create or replace temp table ops as
select
    cast(1 as bigint) as ord, cast(0 as integer) as file_no, $kind as kind,
    cast($exclusive as boolean) as exclusive, $scope as scope,
    cast($subject_uid as uuid) as subject_uid, $predicate as predicate,
    cast($object_uid as uuid) as object_uid,
    relation_uid_of($scope, $subject_uid, $predicate, $object_uid) as relation_uid,
    coalesce(cast($valid_from as timestamptz), cast('-infinity' as timestamptz)) as f,
    coalesce(cast($valid_to as timestamptz), cast('infinity' as timestamptz)) as t,
    cast($attributes as varchar) as attributes, cast($event as varchar) as event,
    cast($rec as timestamptz) as rec,
    group_of($scope, $subject_uid, $predicate, $object_uid, $exclusive) as gk;
