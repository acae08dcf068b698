-- What a catalog says of relations_unsealed; other columns as in relations_sealed.
comment on view relations_unsealed is
    'Internal, use relation_history: the rows of relations that optimize has not written yet, removals too.';
comment on column relations_unsealed.superseded_at is
    'Transaction time: null when it was written, but for removals, which are superseded at once; this instant is out. See relation_endings.';
