-- What a catalog says of relation_endings; other columns as in relation_history.
comment on view relation_endings is
    'Internal, use relation_history: when each version was superseded by a row that optimize has not written yet.';
