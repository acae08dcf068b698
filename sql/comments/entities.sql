-- What a catalog says of entities and of each of its columns.
comment on view entities is
    'The entities, one row each. They are not scoped and not hidden by as_of.';
comment on column entities.entity_uid is
    'The entity; subject_uid and object_uid of the relations name it.';
comment on column entities.name is
    'The name that is shown.';
comment on column entities.name_key is
    'The name in the form by which names are matched: Unicode NFC and case folding.';
comment on column entities.type is
    'person, concept, project, preference, fact, location, organization, or a type of one''s own.';
comment on column entities.recorded_at is
    'Transaction time: when this store learned of the entity; this instant is in.';
comment on column entities.import_uid is
    'The file that it came in by, see imports. Null: by a single call.';
