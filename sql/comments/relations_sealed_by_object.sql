-- What a catalog says of relations_sealed_by_object; other columns as in relations_sealed.
comment on view relations_sealed_by_object is
    'Internal, use relation_history: the rows of relations_sealed, read from a copy that is sorted by object.';
