"""DuckDB over a snapshot and every file of `sql/`: connect, execute, log, translate errors.

This is the one module that runs SQL. Statements are logged on `mazarbul_analytics.sql` at level
DEBUG, and a failure carries its statement.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.engine import bare, sqlfiles
from mazarbul_analytics.errors import MazarbulError, QueryError, StoreError
from mazarbul_analytics.quoting import literal, literal_path, quoted
from mazarbul_analytics.rules.relayids import IdForm
from mazarbul_analytics.tables.damage import damage_of
from mazarbul_analytics.tables.layout import by_object
from mazarbul_analytics.tables.snapshots import DataFile, Snapshot

__all__ = [
    "Connection",
    "base_objects",
    "connect",
    "literal",
    "literal_path",
    "overlay",
    "quoted",
    "translated",
]

# see Connection.page
warnings.filterwarnings("ignore", message="Arrow output on a DB-API result", category=UserWarning)

INTERRUPTED = "Query interrupted"

log = logging.getLogger("mazarbul_analytics.sql")

Params = Mapping[str, Any] | Sequence[Any] | None

_QUERY_FAULTS = (
    duckdb.ParserException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.SyntaxException,
    duckdb.ConversionException,
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
    duckdb.PermissionException,
    duckdb.NotImplementedException,
    duckdb.InvalidTypeException,
    duckdb.TypeMismatchException,
)


# what the engine raises over a file that is missing, cut or damaged inside
_READ_FAULTS = (
    duckdb.IOException,
    duckdb.InvalidInputException,
    duckdb.SerializationException,
    duckdb.InternalException,
    duckdb.FatalException,
)


def _may_be_damage(error: duckdb.Error) -> bool:
    # the Parquet reader has no class of its own for what it finds inside a damaged file
    return type(error) is duckdb.Error or isinstance(error, _READ_FAULTS)


def translated(error: duckdb.Error, sql: str = "", *, user: bool = False) -> MazarbulError:
    """Return the error of ours that an error of the engine means; `user` marks a caller's query."""
    first = re.sub(r"\s+", " ", str(error)).split(" LINE ")[0].strip()
    number = re.search(r'"errno": ?"(\d+)"', first)
    if number is not None:
        reason = os.strerror(int(number[1]))
        path = re.search(r"/[^\"']+", first.replace("\\", ""))
        where = path[0] if path is not None else "the disk"
        return StoreError(f"{where}: {reason}\nFree some space, or mend it, and try again.")
    if user and isinstance(error, _QUERY_FAULTS) and "magic bytes" not in first:
        return QueryError(f"the query was refused: {first[:400]}", sql=sql)
    fault = StoreError(f"the engine failed: {first[:400]}")
    fault.add_note(f"SQL: {sql}")
    return fault


class Connection:
    """A DuckDB connection that logs what it runs and raises errors of ours."""

    def __init__(self, raw: duckdb.DuckDBPyConnection, snapshot: Snapshot | None = None) -> None:
        self.raw = raw
        self.snapshot = snapshot

    def fault(self, error: duckdb.Error, sql: str, *, user: bool = False) -> MazarbulError:
        """Return the error of ours that an error of the engine means; it names a damaged file."""
        if _may_be_damage(error) and self.snapshot is not None:
            with bare.start() as probe:
                damage = damage_of(self.snapshot, probe.execute, duckdb.Error, deep=not user)
            if damage is not None:
                damage.add_note(f"SQL: {sql}")
                return damage
        return translated(error, sql, user=user)

    def execute(self, sql: str, params: Params = None) -> duckdb.DuckDBPyConnection:
        """Run one statement and return the connection, on which rows may be fetched."""
        log.debug("%s -- %s", sql, params)
        try:
            return self.raw.execute(sql, params) if params is not None else self.raw.execute(sql)
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except duckdb.Error as error:
            raise self.fault(error, sql) from error
        except RuntimeError as error:  # what the engine makes of Ctrl-C while it works
            if INTERRUPTED in str(error):
                raise KeyboardInterrupt from error
            raise

    def run(self, path: str, **values: Any) -> None:  # noqa: ANN401 - any value DuckDB binds
        """Run the statements of one file of `sql/`; each takes of `values` what it names."""
        for sql in sqlfiles.statements(path):
            used = {k: v for k, v in values.items() if re.search(rf"\${k}\b", sql)}
            self.execute(sql, used or None)

    def rows(self, sql: str, params: Params = None) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        try:
            return self.execute(sql, params).fetchall()
        except duckdb.Error as error:
            raise self.fault(error, sql) from error

    def scalar(self, sql: str, params: Params = None) -> Any:  # noqa: ANN401 - as the query gives
        """Run one statement and return the first value of its first row, None without a row."""
        found = self.rows(sql, params)
        return found[0][0] if found else None

    def arrow(self, sql: str, params: Params = None) -> pa.Table:
        """Run one statement and return its answer as an Arrow table, instants in UTC."""
        log.debug("%s -- %s", sql, params)
        try:
            relation = self.raw.sql(sql, params=params)
            table: pa.Table = relation.to_arrow_table()
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except duckdb.Error as error:
            raise self.fault(error, sql) from error
        return table

    def page(self, sql: str, params: Params = None) -> pa.Table:
        """Run one statement of few rows and return its answer as an Arrow table.

        A relation is bound twice, once to be made and once to be run; over a large store that
        costs more than the second copy of a small answer, against which the engine warns.
        """
        self.execute(sql, params)
        try:
            table: pa.Table = self.raw.to_arrow_table()
        except duckdb.Error as error:
            raise self.fault(error, sql) from error
        return table

    def stream(self, sql: str, rows: int) -> pa.RecordBatchReader:
        """Run one statement and return its answer in batches, each made when it is read."""
        log.debug("%s", sql)
        try:
            return self.raw.sql(sql).to_arrow_reader(rows)
        except duckdb.Error as error:
            raise self.fault(error, sql) from error

    def named(self, path: str, params: Params = None) -> pa.Table:
        """Run the one query of a file of `sql/`, of few rows, and return its answer."""
        return self.page(sqlfiles.statement(path).rstrip().removesuffix(";"), params)

    def cursor(self) -> Connection:
        """Return a second handle on the same database, for another thread."""
        return Connection(self.raw.cursor(), self.snapshot)

    def close(self) -> None:
        """Close the connection; what it holds in memory is gone."""
        self.raw.close()


def connect(snapshot: Snapshot | None = None, *, scratch: Path | None = None) -> Connection:
    """Return a connection that holds the views and macros of `sql/` over a snapshot.

    `scratch` is where the engine may spill: a folder that is made when it is needed. It defaults
    to one below the system's folder for temporary files, so a read-only store can be read.
    """
    spill = scratch or Path(tempfile.gettempdir()) / f"mazarbul-{os.getpid()}"
    connection = Connection(bare.start())
    connection.execute(f"set temp_directory = {literal(str(spill))}")
    connection.execute("set global parquet_metadata_cache = true")
    if snapshot is not None:
        overlay(connection, snapshot)
    return connection


_ALSO_READ = ("entities", "imports")
"""What a writing call reads beside the statements of `sql/writes`: names, and what was imported."""


def overlay(connection: Connection, snapshot: Snapshot | None, *, writing: bool = False) -> None:
    """Put the views and macros of `sql/` into a connection, over a snapshot or over nothing.

    With `writing` only those that the statements of `sql/writes` need: a single write is short.
    """
    connection.snapshot = snapshot
    for sql in base_objects(snapshot):
        connection.execute(sql)
    for _, sql in sqlfiles.objects_for("writes", *_ALSO_READ) if writing else sqlfiles.objects():
        connection.execute(sql)


def base_objects(snapshot: Snapshot | None) -> Iterable[str]:
    """Yield the statements that put a snapshot's files under the views of `sql/`.

    They carry absolute paths and list and cast every column; all else in `sql/` is free of paths.
    """
    newest = None if snapshot is None else snapshot.newest_commit
    yield f"create or replace macro newest_commit() as ({_instant(newest)})"
    yield from _relay_form({} if snapshot is None else snapshot.tables["relays"].settings)
    for name in schema.TABLES:
        folder = Path() if snapshot is None else snapshot.root / name
        files = () if snapshot is None else snapshot.tables[name].files
        if name == "relations":
            sealed = [f for f in files if f.sealed]
            unsealed = [f for f in files if not f.sealed]
            yield _files_view("relations_sealed", name, folder, sealed)
            copies = [by_object(folder / f.path) for f in sealed]
            if all(c.exists() for c in copies):
                sealed = [
                    replace(f, path=f"{c.parent.name}/{c.name}")
                    for f, c in zip(sealed, copies, strict=True)
                ]
            yield _files_view("relations_sealed_by_object", name, folder, sealed)
            yield _files_view("relations_unsealed", name, folder, unsealed)
        else:
            yield _files_view(f"{name}_files", name, folder, files)


def _relay_form(settings: Mapping[str, str]) -> Iterable[str]:
    """Yield the macros that tell the form of the store's relay ids and its first number."""
    form = IdForm.of(settings)
    first = "null" if form.first is None else str(form.first)
    yield f"create or replace macro relay_prefix() as ({literal(form.prefix)})"
    yield f"create or replace macro relay_digits() as ({form.digits})"
    yield f"create or replace macro relay_first() as (cast({first} as bigint))"


def _files_view(view: str, name: str, folder: Path, files: Sequence[DataFile]) -> str:
    fields = schema.TABLES[name]
    columns = [_cast(f, quoted(f.name) if files else "null") for f in fields]
    paths = ", ".join(literal_path(folder / f.path) for f in files)
    source = (
        f"read_parquet([{paths}], hive_partitioning = false)" if files else "(select 1) where false"
    )
    return f"create or replace view {view} as select {', '.join(columns)} from {source}"


def _cast(field: pa.Field, source: str) -> str:
    return f"cast({source} as {schema.duckdb_type(field)}) as {quoted(field.name)}"


def _instant(value: datetime | None) -> str:
    if value is None:
        return "cast('-infinity' as timestamptz)"
    return f"cast({literal(value.isoformat())} as timestamptz)"
