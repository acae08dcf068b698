-- What a catalog says of relays and of each of its columns.
comment on view relays is
    'The relays that are present, one row each. As far as is recorded; for another instant: relays_as_of(as_of) of catalog.duckdb.';
comment on column relays.relay_id is
    'The id of the relay. Ids have one width, so that they sort in the order of their numbers.';
comment on column relays.sha256 is
    'The digest of the exact bytes, in hexadecimal digits.';
comment on column relays.bytes is
    'How many bytes the record has.';
comment on column relays.sender is
    'Who sent it, as its header says. Null: not said.';
comment on column relays.recipients is
    'Whom it was sent to, as its header says. Null: not said.';
comment on column relays.parent is
    'The id that it names as its parent. Null: none.';
comment on column relays.parent_sha256 is
    'The digest that it claims its parent has. Null: none given.';
comment on column relays.refs is
    'The ids that it names besides its parent.';
comment on column relays.kind is
    'The kind of record, as its header says. Null: not said.';
comment on column relays.provenance is
    'Where the keeper had it from. Null: not said.';
comment on column relays.deposited_by is
    'Who deposited it. Null: not said.';
comment on column relays.deposited_at is
    'Transaction time: when it was deposited; this instant is in.';
comment on column relays.import_uid is
    'The file that it came in by, see imports. Null: by a single deposit.';
comment on column relays.continuity is
    'What its claim about its parent is worth: MATCHES, DIVERGES (the held parent has another digest), UNCHECKABLE (the parent is not held), LABEL_ONLY (a parent without a digest), UNANCHORED (a digest without a parent), NO_CLAIM.';
comment on column relays.record is
    'The exact bytes of the record.';
