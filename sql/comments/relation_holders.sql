-- What a catalog says of relation_holders; other columns as in relation_history.
comment on view relation_holders is
    'How many subjects held a predicate of an object at once, one row for each stretch of valid time in which their number stays the same, in every scope. As far as is recorded now. valid_from is in, valid_to is out; stretches without a holder are left out.';
comment on column relation_holders.valid_from is
    'Valid time: from when there were so many; this instant is in. Null: always.';
comment on column relation_holders.valid_to is
    'Valid time: until when there were so many; this instant is out. Null: open.';
comment on column relation_holders.holders is
    'How many subjects held it at once; at least 1.';
