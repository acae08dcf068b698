"""The door for BI tools: `catalog.duckdb`, the views and macros of `sql/` over a store's files."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import uuid
from pathlib import Path

import duckdb

from mazarbul_analytics import engine, sqlfiles
from mazarbul_analytics.connection import base_objects, connect, literal, translated
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.tables import Snapshot
from mazarbul_analytics.writable import refuse_output

__all__ = ["CATALOG", "build", "extract", "is_behind"]

CATALOG = "catalog.duckdb"
STORAGE_VERSION = "v1.0.0"
"""Most BI tools still carry a DuckDB 1.x, which reads no newer form."""


def is_behind(snapshot: Snapshot) -> bool:
    """Tell whether the door is missing, damaged, or was built over other versions or folders."""
    return _stamp_of(snapshot.root / CATALOG) != _stamp(snapshot)


def build(snapshot: Snapshot) -> Path:
    """Write the door beside the old one and move it into place; a reader has the one or the other.

    Where the old door was made by the same `sql/`, it is copied and only what names files is new.
    """
    path = snapshot.root / CATALOG
    beside = snapshot.root / f".{CATALOG}-{uuid.uuid4().hex}"
    work = _workplace(beside)
    stamp = _stamp(snapshot)
    built_from = literal(json.dumps(stamp))
    old = _stamp_of(path)
    objects = tuple(text for _, text in sqlfiles.objects())
    sql = ""
    try:
        if old is not None and old["sql"] == stamp["sql"]:
            shutil.copyfile(path, work)
            objects = ()
        with contextlib.closing(engine.start()) as door:
            door.execute(
                f"attach {literal(str(work))} as door (storage_version {literal(STORAGE_VERSION)})"
            )
            door.execute("use door")
            door.execute("begin")  # one transaction, or each object is synced to disk on its own
            for sql in (
                *base_objects(snapshot),
                *objects,
                f"create or replace view catalog_built_from as select {built_from} as built_from",
            ):
                door.execute(sql)
            door.execute("commit")
        _arrive(work, beside, path)
    except duckdb.Error as error:
        raise translated(error, sql) from error
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        for left in (beside, work, Path(f"{work}.wal")):
            left.unlink(missing_ok=True)
    return path


def _workplace(beside: Path) -> Path:
    """Return where to build a file: the engine cannot make one whose path holds a `?`."""
    return Path(tempfile.gettempdir()) / beside.name if "?" in str(beside) else beside


def _arrive(work: Path, beside: Path, target: Path) -> None:
    if work != beside:
        shutil.copyfile(work, beside)
    beside.replace(target)


def _stamp(snapshot: Snapshot) -> dict[str, object]:
    """Return what the door depends on: the folder, the table versions, the text of `sql/`."""
    return {"root": str(snapshot.root), "sql": sqlfiles.digest(), **snapshot.versions}


def _stamp_of(path: Path) -> dict[str, object] | None:
    """Return the stamp that a door bears, None where there is no door that can be read."""
    if not path.exists():
        return None
    try:
        with contextlib.closing(duckdb.connect(str(path), read_only=True)) as door:
            row = door.execute("select built_from from catalog_built_from").fetchone()
    except duckdb.Error:
        return None
    return None if row is None else dict(json.loads(row[0]))


def extract(snapshot: Snapshot, target: Path) -> Path:
    """Write a self-contained copy with native tables; the file is moved into place when whole."""
    refuse_output(target, snapshot.root)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise InvalidValue(f"not a file that can be written: {target}", value=str(target))
    if target.exists() and target.read_bytes()[8:12] not in (b"DUCK", b""):
        raise InvalidValue(
            f"{target} is there and is no DuckDB file: it is not overwritten\nName another file.",
            value=str(target),
        )
    beside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    work = _workplace(beside)
    connection = connect(snapshot)
    sql = ""
    try:
        raw = connection.raw
        raw.execute(
            f"attach {literal(str(work))} as extract (storage_version {literal(STORAGE_VERSION)})"
        )
        for sql in sqlfiles.statements("reads/extract.sql"):
            raw.execute(sql)
        raw.execute("detach extract")
        _arrive(work, beside, target)
    except duckdb.Error as error:
        raise translated(error, sql) from error
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        connection.close()
        for left in (beside, work, Path(f"{work}.wal")):
            left.unlink(missing_ok=True)
    return target
