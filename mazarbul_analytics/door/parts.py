"""The parts of an extract as PostgreSQL takes them: tables and views, their types, their rows.

Nothing here knows a table by name: what the extract holds is what is published.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.quoting import quoted

__all__ = ["Column", "Part", "adapted", "of", "rows"]

BATCH = 65_536
"""So many rows are in memory at a time."""

JSON = "jsonb"
_TYPES = {
    "BIGINT": "bigint",
    "BLOB": "bytea",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "double precision",
    "INTEGER": "integer",
    "TIMESTAMP WITH TIME ZONE": "timestamp with time zone",
    "VARCHAR": "text",
    "VARCHAR[]": "text[]",
}
"""Types by the names that DuckDB and PostgreSQL give them in their catalogs."""

_STORABLE = {"text": "storable_text", "text[]": "storable_texts", JSON: "storable_json"}

_PARTS = """
    select table_name, comment, null as text
    from duckdb_tables() where database_name = current_database() and not internal
    union all
    select view_name, comment, sql
    from duckdb_views() where database_name = current_database() and not internal
    order by all
"""
_COLUMNS = """
    select table_name, column_name, data_type, comment
    from duckdb_columns() where database_name = current_database() and not internal
    order by table_name, column_index
"""


@dataclass(frozen=True)
class Column:
    """A column: its name, its type in PostgreSQL, its comment or None."""

    name: str
    type: str
    comment: str | None


@dataclass(frozen=True)
class Part:
    """A table of the extract, or a view with its SELECT in PostgreSQL's words as `text`."""

    name: str
    columns: tuple[Column, ...]
    comment: str | None
    text: str | None = None

    @property
    def kind(self) -> str:
        """Whether it is a `table` or a `view`."""
        return "table" if self.text is None else "view"

    def reads(self, tables: Collection[str]) -> bool:
        """Tell whether a view names one of some tables."""
        import sqlglot  # noqa: PLC0415 - an extra

        if self.text is None:
            return False
        tree = sqlglot.parse_one(self.text, read="postgres")
        return any(table.name in tables for table in tree.find_all(sqlglot.exp.Table))

    @property
    def shape(self) -> str:
        """Names and types of its columns in order, as `sql/postgres/objects.sql` spells them."""
        return ", ".join(f"{c.name} {c.type}" for c in self.columns)


def of(source: Connection) -> list[Part]:
    """Return the tables and views of the database that a connection uses, by name."""
    columns: dict[str, list[Column]] = {}
    for table, name, kind, comment in source.rows(_COLUMNS):
        columns.setdefault(table, []).append(Column(name, _type_of(table, name, kind), comment))
    return [
        Part(name, tuple(columns[name]), comment, None if text is None else _carried(text))
        for name, comment, text in source.rows(_PARTS)
    ]


def _type_of(table: str, column: str, kind: str) -> str:
    if column in schema.JSON_COLUMNS and kind == "VARCHAR":
        return JSON
    if kind not in _TYPES:
        raise StoreError(f"no type of PostgreSQL is known for {table}.{column}, {kind}")
    return _TYPES[kind]


def _carried(text: str) -> str:
    """Return the SELECT of a view of DuckDB in PostgreSQL's words."""
    import sqlglot  # noqa: PLC0415 - an extra

    return str(sqlglot.parse_one(text, read="duckdb").expression.sql(dialect="postgres"))


def adapted(source: Connection, part: Part) -> int:
    """Return how many rows of a table hold a value that PostgreSQL cannot, spelled otherwise."""
    tests = [
        f"{quoted(c.name)} is distinct from {_storable(c)}"
        for c in part.columns
        if c.type in _STORABLE
    ]
    if not tests:
        return 0
    where = " or ".join(tests)
    return int(source.scalar(f"select count(*) from {quoted(part.name)} where {where}"))


def rows(source: Connection, part: Part) -> pa.RecordBatchReader:
    """Return the rows of a table as a stream of batches that PostgreSQL can hold."""
    values = ", ".join(f"{_storable(c)} as {quoted(c.name)}" for c in part.columns)
    reader = source.stream(f"select {values} from {quoted(part.name)}", BATCH)
    marked = {c.name for c in part.columns if c.type == JSON}
    return reader.cast(
        pa.schema(pa.field(f.name, pa.json_()) if f.name in marked else f for f in reader.schema)
    )


def _storable(column: Column) -> str:
    macro = _STORABLE.get(column.type)
    name = quoted(column.name)
    return name if macro is None else f"{macro}({name})"
