-- What a catalog says of entities_files; other columns as in entities.
comment on view entities_files is
    'Internal, use entities: the rows of the files.';
