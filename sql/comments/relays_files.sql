-- What a catalog says of relays_files; other columns as in relays.
comment on view relays_files is
    'Internal, use relays: the rows of the files.';
