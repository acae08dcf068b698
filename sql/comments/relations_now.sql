-- What a catalog says of relations_now; other columns as in relation_history.
comment on view relations_now is
    'The relations that are live now, one row each, in every scope, with the names of both ends: valid_from <= now < valid_to, as far as is recorded. For another instant: relations_at(at, as_of) of catalog.duckdb.';
comment on column relations_now.superseded_at is
    'Transaction time: null in every row, for what was superseded is not live (this instant would be out).';
