-- What a catalog says of each macro. An instant may be given as TIMESTAMPTZ, as text, TIMESTAMP or DATE.
comment on macro table relations_at is
    'The relations live at a valid-time instant as known at a transaction-time instant, names joined, every scope. Null at: now; null as_of: all that is recorded. valid_from and recorded_at are in, valid_to and superseded_at are out.';
comment on macro table relations_of is
    'The relations of one entity that are live at (at, as_of), by uids, tagged outgoing (it is the subject) or incoming; every scope. Null at: now; null as_of: all that is recorded. Starts are in, ends are out.';
comment on macro table versions_at is
    'relations_at without names, and faster: the versions live at (at, as_of). Starts are in, ends are out.';
comment on macro table versions_of is
    'Every version with the entity at one end that was recorded by as_of (transaction time, in; null: all that is recorded), tagged outgoing or incoming.';
comment on macro table statuses_of is
    'versions_of, each with its status judged at a valid-time instant (null: now): retracted, superseded, expired (valid_to <= at), future (valid_from > at) or live.';
comment on macro table neighbors_of is
    'Who is reachable from an entity within depth steps over relations live at (at, as_of), once each, with distance and one shortest path. direction: outgoing, incoming or both; predicates and scopes: lists, null is every one. Starts are in, ends are out.';
comment on macro table relation_changes is
    'What was learned between two transaction-time instants, one row for each relation and portion of valid time. since is out, until is in; null: from the beginning, all that is recorded.';
comment on macro table relation_contradictions is
    'The subjects with more than one live object of a predicate (null: of every predicate) at (at, as_of). Null at: now; null as_of: all that is recorded. Starts are in, ends are out.';
comment on macro table relation_activity is
    'How many relations were live at each valid-time instant of a grid, by predicate. start and stop are in, step is an INTERVAL; as_of (transaction time, null: all that is recorded), predicates and scopes (lists, null: every one) by name. A start at an instant counts, an end at it no more.';
comment on macro table calendar is
    'The instants start, start + step, ... up to stop, of either axis; both ends are in. step is an INTERVAL, counted in UTC.';
comment on macro table point_in_time is
    'For each row of a table or view with the columns entity_uid, at and as_of, named as text: the relations live for it, or the row once with nulls. at: valid time; as_of: transaction time, null is all that is recorded. Starts are in, ends are out.';
comment on macro table point_in_time_exclusive is
    'point_in_time with at most one row for each probe and predicate: the relation that began last. Starts are in, ends are out.';
comment on macro table relay_list is
    'The ids present or known missing at a transaction-time instant (in; null: all that is recorded), above after (not itself; null: all).';
comment on macro table relay_gaps_as_of is
    'The ids known to be missing at a transaction-time instant (in; null: all that is recorded), each with its nearest present neighbours.';
comment on macro table relay_holes_as_of is
    'The runs of ids neither present nor named at a transaction-time instant (in; null: all that is recorded), up to last_number (in; null: the last present id).';
comment on macro table relay_late_as_of is
    'The relays held at a transaction-time instant (in; null: all that is held) that arrived after another had named them.';
comment on macro table relay_events_as_of is
    'What changed the counts of relays present and known missing at a transaction-time instant (in; null: all that is recorded), one row a change.';
comment on macro table relay_timeline is
    'How many relays were present and known missing at the end of each of so many equal steps of transaction time, from the first deposit to as_of (in; null: now).';
comment on macro table relay_present_as_of is
    'The relays held at a transaction-time instant (in; null: all that is held), with their numbers.';
comment on macro table relays_as_of is
    'The relays held at a transaction-time instant (in; null: all that is held), each with what was known of its parent then.';
comment on macro instant is
    'Any way of writing an instant as TIMESTAMPTZ; without an offset it is read in UTC.';
comment on macro is_known is
    'Whether a version is known at a transaction-time instant: recorded is in, superseded is out, null is still current.';
comment on macro is_valid is
    'Whether a version is true at a valid-time instant: the start is in, the end is out; null is always, or open.';
comment on macro utc_day is
    'The day (DATE) that an instant falls on in UTC; its midnight is in, the next one is out.';
comment on macro utc_midnight is
    'The instant at which a day begins in UTC.';
comment on macro entity_uid_of is
    'The uid of an entity that is created by its name, from its name_key.';
comment on macro relation_uid_of is
    'The uid of a relation, from its key.';
comment on macro relay_id_of is
    'The id of a number in the form of this store''s ids.';
comment on macro relay_number is
    'The number in an id; null for an id of another form than this store''s.';
comment on macro whole_seconds is
    'The whole seconds from one instant to a later one.';
comment on macro newest_commit is
    'Transaction time: the instant of the newest commit of this store; it is in what is known.';
comment on macro relay_prefix is
    'What this store''s relay ids begin with.';
comment on macro relay_digits is
    'How many digits this store''s relay ids have.';
comment on macro relay_first is
    'The declared first number of this store''s relays. Null: none.';
comment on macro instant_or_now is
    'Internal: the valid-time instant that is asked about; null is now, or the newest commit if it is later.';
comment on macro instant_or_latest is
    'Internal: the transaction-time instant that is asked about; null is all that is recorded.';
comment on macro first_activity_day is
    'Internal: the first day of relation_activity_daily.';
comment on macro first_relay_day is
    'Internal: the first day of relay_gap_history.';
comment on macro begun_order is
    'Internal: a number that orders versions by their start.';
comment on macro group_hash is
    'Internal: a stand-in for group_of.';
comment on macro group_of is
    'Internal: what one write decides on together.';
comment on macro longer_route is
    'Internal: a route of a walk, one step longer.';
comment on macro uid_of is
    'Internal: the UUID made of a text.';
comment on macro table days_since is
    'Internal: the days in UTC from a day to today, both in.';
comment on macro table live_steps is
    'Internal: the steps that a walk may take at (at, as_of); starts are in, ends are out.';
comment on macro table relation_activity_among is
    'Internal: how many relations were live at each instant of a table; a start at it counts, an end at it no more.';
comment on macro table relay_gaps_among is
    'Internal: relay_gaps_as_of over tables that were made before.';
comment on macro table relay_holes_among is
    'Internal: relay_holes_as_of over tables that were made before.';
comment on macro table relay_late_among is
    'Internal: relay_late_as_of over a table that was made before.';
comment on macro table relay_missing_among is
    'Internal: the ids that are known to be missing, from the namings that were not met.';
comment on macro table relay_unmet_as_of is
    'Internal: the namings of ids that were not held when they were named, at a transaction-time instant (in).';
