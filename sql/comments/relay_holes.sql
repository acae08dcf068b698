-- What a catalog says of relay_holes and of each of its columns.
comment on view relay_holes is
    'The runs of ids within the known range that are neither present nor named, one row each. As far as is recorded; for another instant: relay_holes_as_of(as_of, last_number) of catalog.duckdb.';
comment on column relay_holes.first is
    'The first id of the run; it is in.';
comment on column relay_holes.last is
    'The last id of the run; it is in.';
comment on column relay_holes.count is
    'How many ids the run has.';
