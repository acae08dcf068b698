-- What a catalog says of relay_references and of each of its columns.
comment on view relay_references is
    'Who names whom, one row for each naming: a held relay names an id as its parent or among its refs. As far as is recorded.';
comment on column relay_references.relay_id is
    'The held relay that names.';
comment on column relay_references.via is
    'parent or ref.';
comment on column relay_references.named_id is
    'The id that is named; it need not be held, nor have the form of this store''s ids.';
comment on column relay_references.kind is
    'The kind of the relay that names. Null: not said.';
comment on column relay_references.sender is
    'Who sent the relay that names. Null: not said.';
comment on column relay_references.deposited_at is
    'Transaction time: when the relay that names was deposited, so when the naming became known; this instant is in.';
