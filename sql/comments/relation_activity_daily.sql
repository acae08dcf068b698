-- What a catalog says of relation_activity_daily and of each of its columns.
comment on view relation_activity_daily is
    'How many relations were live at each midnight (UTC), one row for each day and each predicate that was live at one of them, zeros too, in every scope: a chart without a parameter. Valid time, as far as is recorded now, from the day of the first start that is known (a null start is none; at most 100 years ago) to today, both in. A start at midnight counts on that day, an end at midnight no more.';
comment on column relation_activity_daily.day is
    'Valid time: the day in UTC that begins at "at"; joins to calendar.day.';
comment on column relation_activity_daily."at" is
    'Valid time: the instant that was counted, midnight in UTC. Periods that start at it are in, those that end at it are out.';
comment on column relation_activity_daily.predicate is
    'What relates the two, in its canonical form: works_at.';
comment on column relation_activity_daily.live is
    'How many relations of the predicate were live at that instant.';
