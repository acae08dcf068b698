-- What a catalog says of relation_durations; other columns as in relation_history.
comment on view relation_durations is
    'How long each relation lasted, one row for each relation of which something is known now, in every scope. Valid time: valid_from is in, valid_to is out, an open stint counts up to now.';
comment on column relation_durations.stints is
    'How many stretches of valid time without a gap it had, see relation_stints.';
comment on column relation_durations.valid_from is
    'Valid time: when the first stint began; this instant is in. Null: always.';
comment on column relation_durations.valid_to is
    'Valid time: when the last stint ended; this instant is out. Null: open.';
comment on column relation_durations.valid_seconds is
    'Seconds of valid time of all stints, an open one up to now. Null: one has no start.';
comment on column relation_durations.gap_seconds is
    'Seconds of valid time between the stints; 0 where there is one.';
comment on column relation_durations.longest_gap_seconds is
    'The longest of the gaps between the stints. Null: there is one stint.';
