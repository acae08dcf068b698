-- What a catalog says of catalog_built_from and of its column.
comment on view catalog_built_from is
    'Internal: what this file was built from, one row.';
comment on column catalog_built_from.built_from is
    'The folder of the store, the version of each table and a digest of the views, a JSON object as text.';
