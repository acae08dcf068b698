-- What a catalog says of relations_sealed; other columns as in relation_history.
comment on view relations_sealed is
    'Internal, use relation_history: the rows of relations as optimize wrote them, removals too, with superseded_at filled in.';
comment on column relations_sealed.supersedes is
    'The versions that this row replaces; may be empty.';
comment on column relations_sealed.removal is
    'Why a row only takes away: unrelate, retract or exclusive. Null: it is a version.';
