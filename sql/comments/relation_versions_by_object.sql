-- What a catalog says of relation_versions_by_object; other columns as in relation_versions.
comment on view relation_versions_by_object is
    'Internal, use relation_history: relation_versions, read by object.';
