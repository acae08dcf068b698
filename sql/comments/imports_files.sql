-- What a catalog says of imports_files; other columns as in imports.
comment on view imports_files is
    'Internal, use imports: the rows of the files.';
