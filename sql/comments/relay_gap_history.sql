-- What a catalog says of relay_gap_history and of each of its columns.
comment on view relay_gap_history is
    'How many relays were present and how many ids known missing at each midnight (UTC), one row for each day: a chart without a parameter. Transaction time, as far as is recorded, from the day of the first deposit to today, both in. What was deposited at midnight counts on that day.';
comment on column relay_gap_history.day is
    'Transaction time: the day in UTC that begins at "at"; joins to calendar.day.';
comment on column relay_gap_history."at" is
    'Transaction time: the instant that was counted, midnight in UTC; what was deposited at it is in.';
comment on column relay_gap_history.present is
    'How many relays were held at that instant.';
comment on column relay_gap_history.known_missing is
    'How many ids were named by a held relay and not held themselves at that instant.';
