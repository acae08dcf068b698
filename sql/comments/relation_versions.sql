-- What a catalog says of relation_versions; other columns as in relation_history.
comment on view relation_versions is
    'relation_history without names: every version that was ever recorded, one row each, in every scope. Faster where uids are enough. The same rules: recorded_at and valid_from are in, superseded_at and valid_to are out.';
