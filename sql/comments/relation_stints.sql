-- What a catalog says of relation_stints; other columns as in relation_history.
comment on view relation_stints is
    'The stints of each relation, one row each: a stretch of valid time without a gap, whatever its attributes, in every scope. As far as is recorded now. valid_from is in, valid_to is out.';
comment on column relation_stints.stint is
    'The number of the stint within its relation, from 1 in the order of time.';
comment on column relation_stints.valid_from is
    'Valid time: when the stint began; this instant is in. Null: always.';
comment on column relation_stints.valid_to is
    'Valid time: when the stint ended; this instant is out. Null: open.';
comment on column relation_stints.gap_seconds is
    'Seconds of valid time between the end of the stint before and the start of this one. Null: it is the first.';
