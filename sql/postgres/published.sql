-- DuckDB. Grain: one row, about the publish itself: what was copied, and when.
create table published as
select
    cast($published_at as timestamptz) as published_at, cast($newest_commit as timestamptz) as newest_commit,
    $store as store, $table_versions as table_versions, $tool_version as tool_version;
comment on table published is 'The publish that made these tables, one row.';
comment on column published.published_at is 'When it began to copy; what depends on now is as of then.';
comment on column published.newest_commit is
    'Transaction time: the newest commit that is in it. What was recorded later is not. Null: none.';
comment on column published.store is 'The folder of the store that was copied.';
comment on column published.table_versions is 'The versions of the store''s tables that were copied.';
comment on column published.tool_version is 'The version of mazarbul that copied it.';
