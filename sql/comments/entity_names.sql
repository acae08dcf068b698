-- What a catalog says of entity_names; other columns as in entities.
comment on view entity_names is
    'Internal, use entities: one name and type for each entity, for joins.';
