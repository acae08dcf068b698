-- What a catalog says of relation_history and of each of its columns.
comment on view relation_history is
    'Every version that was ever recorded, one row each, in every scope, with the names of both ends. A version is live at (at, as_of) when recorded_at <= as_of < superseded_at and valid_from <= at < valid_to; a null start is always, a null end is open.';
comment on column relation_history.relation_uid is
    'The relation: scope, subject, predicate and object. The same in every version of it.';
comment on column relation_history.version is
    'The number of the version; it grows over the whole store.';
comment on column relation_history.scope is
    'project, personal or team.';
comment on column relation_history.subject_uid is
    'The entity that the relation goes out from.';
comment on column relation_history.subject is
    'The name of the subject.';
comment on column relation_history.subject_type is
    'The type of the subject: person, organization, project, ...';
comment on column relation_history.predicate is
    'What relates the two, in its canonical form: works_at.';
comment on column relation_history.object_uid is
    'The entity that the relation goes to.';
comment on column relation_history.object is
    'The name of the object.';
comment on column relation_history.object_type is
    'The type of the object: person, organization, project, ...';
comment on column relation_history.attributes is
    'What else is said of the relation in this period, a JSON object. Null: nothing.';
comment on column relation_history.valid_from is
    'Valid time: from when it was true in the world; this instant is in. Null: always.';
comment on column relation_history.valid_to is
    'Valid time: until when it was true in the world; this instant is out. Null: open.';
comment on column relation_history.recorded_at is
    'Transaction time: when this store learned it; this instant is in.';
comment on column relation_history.superseded_at is
    'Transaction time: when a later version took its place; this instant is out. Null: still current knowledge.';
comment on column relation_history.source_event_uid is
    'The episode that told it. Null: not given.';
comment on column relation_history.import_uid is
    'The file that it came in by, see imports. Null: by a single call.';
