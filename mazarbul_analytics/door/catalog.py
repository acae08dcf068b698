"""The door for BI tools: `catalog.duckdb`, the views and macros of `sql/` over a store's files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from mazarbul_analytics.door import comments
from mazarbul_analytics.engine import bare, sqlfiles
from mazarbul_analytics.engine.connection import Connection, base_objects, connect, literal
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.files.outputs import refuse_output
from mazarbul_analytics.rules import instants
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["CATALOG", "build", "extract", "is_behind"]

CATALOG = "catalog.duckdb"
STORAGE_VERSION = "v1.0.0"
"""Most BI tools still carry a DuckDB 1.x, which reads no newer form."""
BASE = "base"
"""Where the stamp of a door holds a digest of each object that names files or the store's state."""
UNCOMMENTED = """
    select table_name, column_name from duckdb_columns()
    where database_name = current_database() and not internal and comment is null
"""
IS_EXTRACT = """
    select table_name from duckdb_tables()
    where table_name = 'relation_history' and comment like '%Copied at %'
"""
COPIED = """
    select case table_type when 'VIEW' then 'view' else 'table' end, table_name
    from information_schema.tables where table_catalog = current_database()
"""


def is_behind(snapshot: Snapshot) -> bool:
    """Tell whether the door is missing, damaged, or was built over other versions or folders."""
    found = _stamp_of(snapshot.root / CATALOG)
    return found is None or {k: v for k, v in found.items() if k != BASE} != _stamp(snapshot)


def build(snapshot: Snapshot) -> Path:
    """Write the door beside the old one and move it into place; a reader has the one or the other.

    Where the old door was made by the same `sql/`, it is copied and only what names other files
    than before is made anew. Whatever is made anew gets its comments again.
    """
    path = snapshot.root / CATALOG
    stamp = _stamp(snapshot)
    base = {sqlfiles.created(text): text for text in base_objects(snapshot)}
    made_of = {name: _digest(text) for (_, name), text in base.items()}
    old = _stamp_of(path)
    objects = [text for _, text in sqlfiles.objects()]
    with _moved_into_place(path) as work:
        if old is not None and old["sql"] == stamp["sql"]:
            shutil.copyfile(path, work)
            objects = []
            kept = old[BASE]
            base = {key: text for key, text in base.items() if kept.get(key[1]) != made_of[key[1]]}
        built_from = literal(json.dumps({**stamp, BASE: made_of}))
        made = [
            *base.values(),
            *objects,
            f"create or replace view catalog_built_from as select {built_from} as built_from",
        ]
        with contextlib.closing(Connection(bare.start())) as door:
            _attach(door, work, "door")
            door.execute("use door")
            door.execute("begin")  # one transaction, or each object is synced to disk on its own
            for sql in (*made, *comments.on(map(sqlfiles.created, made))):
                door.execute(sql)
            for sql in comments.of_columns(door.rows(UNCOMMENTED)):
                door.execute(sql)
            door.execute("commit")
    return path


@contextlib.contextmanager
def _moved_into_place(target: Path) -> Iterator[Path]:
    """Give a path to build a file at; the file takes the target's place when it is whole."""
    beside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    # the engine cannot make a file whose path holds a `?`
    work = Path(tempfile.gettempdir()) / beside.name if "?" in str(beside) else beside
    try:
        yield work
        if work != beside:
            shutil.copyfile(work, beside)
        beside.replace(target)
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        for left in (beside, work, Path(f"{work}.wal")):
            left.unlink(missing_ok=True)


def _attach(connection: Connection, path: Path, name: str) -> None:
    version = literal(STORAGE_VERSION)
    connection.execute(f"attach {literal(str(path))} as {name} (storage_version {version})")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _stamp(snapshot: Snapshot) -> dict[str, object]:
    """Return what the door depends on: the folder, the table versions, the text of `sql/`."""
    return {"root": str(snapshot.root), "sql": sqlfiles.digest(), **snapshot.versions}


def _stamp_of(path: Path) -> dict[str, Any] | None:
    """Return the stamp that a door bears, None where there is no door that can be read."""
    row = _told(path, "select built_from from catalog_built_from")
    return None if row is None else dict(json.loads(row[0]))


def _told(path: Path, query: str) -> tuple[Any, ...] | None:
    """Return the first row that a file answers, None where it is missing or answers nothing."""
    if not path.exists():
        return None
    try:
        with contextlib.closing(duckdb.connect(str(path), read_only=True)) as door:
            return door.execute(query).fetchone()
    except duckdb.Error:
        return None


def extract(snapshot: Snapshot, target: Path, *, relay_bytes: bool = False) -> Path:
    """Write a self-contained copy with native tables; the file is moved into place when whole.

    Its tables and columns bear the names and comments of the door's views. `relays` is without
    `record` unless `relay_bytes` asks for it. Raises `InvalidValue` for a target that is no file to
    be written, that is something else than an extract, or that lies in the store.
    """
    refuse_output(target, snapshot.root)
    target = target.resolve()  # a link is followed, not replaced
    if target.is_dir() or not target.parent.is_dir():
        raise InvalidValue(f"not a file that can be written: {target}", value=str(target))
    if target.exists() and target.stat().st_size and _told(target, IS_EXTRACT) is None:
        raise InvalidValue(
            f"{target} is there and is no extract: it is not overwritten\nName another file.",
            value=str(target),
        )
    relays = "reads/extract_relay_bytes.sql" if relay_bytes else "reads/extract_relays.sql"
    copied_at = instants.format(datetime.now(UTC).replace(microsecond=0))
    with (
        _moved_into_place(target) as work,
        contextlib.closing(connect(snapshot)) as connection,
    ):
        _attach(connection, work, "extract")
        for path in ("reads/extract.sql", relays):
            connection.run(path)
        connection.execute("use extract")
        for kind, name in connection.rows(COPIED):
            said = comments.of_views()[name].text
            text = f"{said} Copied at {copied_at}." if kind == "table" else said
            connection.execute(comments.statement(kind, name, text))
        for sql in comments.of_columns(connection.rows(UNCOMMENTED)):
            connection.execute(sql)
        connection.execute("use memory")
        connection.execute("detach extract")
    return target
