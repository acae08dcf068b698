-- What a catalog says of versions_now; other columns as in relation_history.
comment on view versions_now is
    'relations_now without names: one row for each relation that is live now, in every scope. Faster where counts or uids are enough. valid_from is in, valid_to is out.';
