-- What a catalog says of relation_removals; other columns as in relation_history.
comment on view relation_removals is
    'Internal: the versions that a removal took away, one row each, and why.';
comment on column relation_removals.removal is
    'Why it was taken away: unrelate, retract (recorded in error) or exclusive.';
comment on column relation_removals.removed_at is
    'Transaction time: when it was taken away; this instant is out.';
