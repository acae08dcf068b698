-- What a catalog says of relation_versions_unsealed; other columns as in relation_versions.
comment on view relation_versions_unsealed is
    'Internal, use relation_history: the versions that optimize has not written yet.';
