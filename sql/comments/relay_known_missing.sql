-- What a catalog says of relay_known_missing and of each of its columns.
comment on view relay_known_missing is
    'The ids that are known to be missing, one row each: a held relay names it, its bytes are not held. As far as is recorded; for another instant: relay_gaps_as_of(as_of) of catalog.duckdb.';
comment on column relay_known_missing.relay_id is
    'The id that is missing.';
comment on column relay_known_missing.named_by is
    'The held relays that name it, in the order of their ids.';
comment on column relay_known_missing.first_named_at is
    'Transaction time: when the first relay that names it was deposited; this instant is in.';
comment on column relay_known_missing.age_seconds is
    'Whole seconds from first_named_at to now.';
comment on column relay_known_missing.previous_present is
    'The nearest present id below it. Null: none, or the id has another form.';
comment on column relay_known_missing.next_present is
    'The nearest present id above it. Null: none, or the id has another form.';
comment on column relay_known_missing.issued_after is
    'Transaction time: when previous_present was deposited; it was probably issued later. Both ends are out.';
comment on column relay_known_missing.issued_before is
    'Transaction time: when next_present was deposited; it was probably issued earlier. Both ends are out.';
