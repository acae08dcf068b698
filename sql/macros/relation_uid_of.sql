-- relation_uid_of(scope, subject, predicate, object): the uid of a relation, from its key.
-- subject and object are entity uids (UUID or their text).
create or replace macro relation_uid_of(scope, subject, predicate, object) as (
    uid_of(
        concat(
            'relation', chr(10), scope, chr(10), cast(subject as varchar), chr(10), predicate,
            chr(10), cast(object as varchar)
        )
    )
);
