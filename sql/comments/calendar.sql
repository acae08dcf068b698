-- What a catalog says of calendar and of each of its columns.
comment on view calendar is
    'The days of the daily views, one row for each day in UTC, to join them to: from the first start (at most 100 years ago) or the first deposit to today, both in. For another grid: calendar(start, stop, step) of catalog.duckdb.';
comment on column calendar.day is
    'The day in UTC, of valid time in relation_activity_daily, of transaction time in relay_gap_history. Its midnight is in, the next one is out.';
comment on column calendar."at" is
    'The instant at which the day begins in UTC, of valid time or of transaction time; it is in the day.';
comment on column calendar.year is
    'The year.';
comment on column calendar.quarter is
    'The quarter of the year, 1 to 4.';
comment on column calendar.month is
    'The month of the year, 1 to 12.';
comment on column calendar.iso_year is
    'The year that the week of iso_week belongs to: that of its Thursday.';
comment on column calendar.iso_week is
    'The week of the year by ISO 8601, 1 to 53; it begins on Monday.';
comment on column calendar.weekday is
    'The day of the week by ISO 8601: 1 is Monday, 7 is Sunday.';
