"""Publish: the copy of a store in PostgreSQL, for tools that speak nothing else.

It is the extract of `catalog.py`, sent by COPY in one transaction. Rows are deleted and copied anew
rather than tables replaced: readers keep the old rows until the commit, and grants, indices and
views of others stay.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mazarbul_analytics.door import catalog, parts
from mazarbul_analytics.door.parts import Part
from mazarbul_analytics.door.postgres import NOTHING, Server, refuse_url
from mazarbul_analytics.engine.connection import Connection, connect, literal
from mazarbul_analytics.engine.sqlfiles import statement, statements
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.quoting import quoted
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.version import __version__

__all__ = ["Published", "publish"]

MARK = "[published by mazarbul]"
"""How the comment of each table and view ends that a publish made; nothing else is ever touched."""
LONGEST_NAME = 63
"""PostgreSQL cuts a name after so many bytes."""
BESIDE = "mazarbul new view"


@dataclass(frozen=True)
class Published:
    """What a publish copied into `schema`.

    `rows` is the number of rows of each table, `views` the names of the views over them. `adapted`
    is how many rows of a table hold something that PostgreSQL cannot, spelled otherwise; tables
    without one are left out.
    """

    schema: str
    rows: Mapping[str, int]
    views: tuple[str, ...]
    adapted: Mapping[str, int]


@dataclass(frozen=True)
class _Held:
    """What the schema holds under a name."""

    name: str
    kind: str
    ours: bool
    shape: str

    def fits(self, part: Part | None) -> bool:
        """Tell whether it can stay and take the new rows, or the new text."""
        return part is not None and (self.kind, self.shape) == (part.kind, part.shape)


def publish(snapshot: Snapshot, url: str, schema: str, *, relay_bytes: bool) -> Published:
    """Copy a snapshot into a schema of PostgreSQL; see `Store.publish`."""
    refuse_url(url)
    _refuse_schema(schema)
    with Server(url) as probe:  # what cannot work shall fail before the long part
        _begin(probe, schema)
    with _extracted(snapshot, relay_bytes=relay_bytes) as source, Server(url) as server:
        _begin(server, schema)
        done = _Publication(source, server, schema).run()
        server.commit()
    return done


def _refuse_schema(schema: str) -> None:
    if not schema.isprintable() or not 1 <= len(schema.encode()) <= LONGEST_NAME:
        raise InvalidValue(
            f"not a name of a schema: {schema!r}\nGive 1 to {LONGEST_NAME} bytes without controls.",
            value=schema,
        )
    if schema.startswith("pg_") or schema in {"information_schema", "$user"}:
        raise InvalidValue(
            f"the schema {schema} belongs to PostgreSQL\nName another: --schema NAME.", value=schema
        )


def _begin(server: Server, schema: str) -> None:
    """Begin: queue behind other publishes, make the schema if need be, and look only there."""
    *settings, timeout = statements("postgres/begin.sql")
    for sql in settings:
        server.execute(sql)
    server.rows(timeout)
    server.rows("select pg_advisory_xact_lock(hashtextextended('mazarbul ' || $1, 0))", schema)
    if not server.rows("select from pg_namespace where nspname = $1", schema):
        server.execute(f"create schema {quoted(schema)}")
    may = "select has_schema_privilege($1, 'create') and has_schema_privilege($1, 'usage')"
    if not server.rows(may, schema)[0][0]:
        raise StoreError(
            f"no right to create tables in the schema {schema}\n"
            f"Let its owner grant that, or name another schema: --schema NAME. {NOTHING}"
        )
    path = f"{quoted(schema)}, pg_catalog, pg_temp"
    server.execute(f"set local search_path = {path}")


@contextlib.contextmanager
def _extracted(snapshot: Snapshot, *, relay_bytes: bool) -> Iterator[Connection]:
    """Give a connection that uses an extract of a snapshot, which is deleted at the end."""
    begun = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="mazarbul-publish-") as folder:
        file = Path(folder) / "extract.duckdb"
        catalog.extract(snapshot, file, relay_bytes=relay_bytes)
        with contextlib.closing(connect()) as source:
            source.execute(f"attach {literal(str(file))} as extract")
            source.run("postgres/storable.sql")
            source.execute("use extract")
            source.run(
                "postgres/published.sql",
                published_at=begun,
                newest_commit=snapshot.newest_commit,
                store=str(snapshot.root),
                table_versions=json.dumps(snapshot.versions),
                tool_version=__version__,
            )
            yield source


class _Publication:
    """One publish, inside its transaction."""

    def __init__(self, source: Connection, server: Server, schema: str) -> None:
        self.source = source
        self.server = server
        self.schema = schema
        self.parts = {part.name: part for part in parts.of(source)}
        self.held = {
            row[0]: _Held(*row)
            for row in server.rows(statement("postgres/objects.sql"), schema, MARK)
        }

    def run(self) -> Published:
        """Bring the schema to the state of the extract."""
        self._refuse_foreign()
        leaving = self._leaving()
        self._refuse_dependents(leaving)
        tables = [part for part in self.parts.values() if part.kind == "table"]
        views = [part for part in self.parts.values() if part.kind == "view"]
        staying = [t for t in tables if t.name in self.held and t.name not in leaving]
        rows = {}
        for table in staying:
            self.server.execute(f"delete from only {quoted(table.name)}")
            rows[table.name] = self._copy(table)
        for name in leaving:  # late, since from here on readers of these wait
            self.server.execute(f"drop {self.held[name].kind} {quoted(name)}")
        for table in tables:
            if table not in staying:
                columns = ", ".join(f"{quoted(c.name)} {c.type}" for c in table.columns)
                self.server.execute(f"create table {quoted(table.name)} ({columns})")
                rows[table.name] = self._copy(table)
        for sql in statements("postgres/indices.sql"):
            self.server.execute(sql)
        for view in views:
            self._show(view, there=view.name in self.held and view.name not in leaving)
        for part in self.parts.values():
            self._comment(part)
        for table in tables:
            self.server.execute(f"analyze {quoted(table.name)}")
        return Published(
            self.schema,
            {name: count for name, (count, _) in sorted(rows.items())},
            tuple(view.name for view in views),
            {name: anew for name, (_, anew) in sorted(rows.items()) if anew},
        )

    def _refuse_foreign(self) -> None:
        taken = [name for name in self.parts if name in self.held and not self.held[name].ours]
        if taken:
            raise StoreError(
                f"{self.schema}.{taken[0]} is there and no publish made it: it is not touched\n"
                f"Name another schema: --schema NAME. {NOTHING}"
            )

    def _leaving(self) -> list[str]:
        """Return what an earlier publish made and has to go, views before the tables below them."""
        ours = [held for held in self.held.values() if held.ours]
        tables = [h.name for h in ours if h.kind != "view" and not h.fits(self.parts.get(h.name))]
        views = [
            h.name
            for h in ours
            if h.kind == "view"
            and (not h.fits(self.parts.get(h.name)) or self.parts[h.name].reads(tables))
        ]
        return [*views, *tables]

    def _refuse_dependents(self, names: Sequence[str]) -> None:
        query = statement("postgres/dependents.sql")
        for name in names:
            for (dependent,) in self.server.rows(query, self.schema, name, MARK):
                raise StoreError(
                    f"{self.schema}.{name} is to be made anew, and {dependent} depends on it\n"
                    f"Drop that, publish again, and make it anew. {NOTHING}"
                )

    def _copy(self, table: Part) -> tuple[int, int]:
        """Send the rows of a table; return how many there were, and how many were adapted."""
        count = self.server.copy(self.schema, table.name, parts.rows(self.source, table))
        return count, parts.adapted(self.source, table)

    def _show(self, view: Part, *, there: bool) -> None:
        """Make a view; one that says the same is left alone, since to replace it locks readers."""
        if there:
            self.server.execute(f"create view {quoted(BESIDE)} as {view.text}")
            ((same,),) = self.server.rows(
                "select pg_get_viewdef(to_regclass(quote_ident($1))) "
                "= pg_get_viewdef(to_regclass(quote_ident($2)))",
                view.name,
                BESIDE,
            )
            self.server.execute(f"drop view {quoted(BESIDE)}")
            if same:
                return
        self.server.execute(f"create or replace view {quoted(view.name)} as {view.text}")

    def _comment(self, part: Part) -> None:
        said = MARK if part.comment is None else f"{part.comment} {MARK}"
        self.server.execute(f"comment on {part.kind} {quoted(part.name)} is {literal(said)}")
        for column in part.columns:
            said = "null" if column.comment is None else literal(column.comment)
            name = f"{quoted(part.name)}.{quoted(column.name)}"
            self.server.execute(f"comment on column {name} is {said}")
