"""The door for BI tools: `catalog.duckdb`, the views and macros of `sql/` over the store's files."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from pathlib import Path

import duckdb

from mazarbul_analytics import sqlfiles, tables
from mazarbul_analytics.connection import base_objects, connect, literal, translated
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables import Snapshot

__all__ = ["CATALOG", "build", "extract", "is_behind", "renew"]

CATALOG = "catalog.duckdb"
STORAGE_VERSION = "v1.0.0"
"""Most BI tools still carry a DuckDB 1.x, which reads no newer form."""


def renew(root: Path) -> None:
    """Build the door anew where it is behind the tables; call it under the writers' lock."""
    snapshot = tables.snapshot(root)
    if is_behind(snapshot):
        build(snapshot)


def is_behind(snapshot: Snapshot) -> bool:
    """Tell whether the door is missing, damaged, or was built over other versions or folders."""
    path = snapshot.root / CATALOG
    if not path.exists():
        return True
    try:
        with contextlib.closing(duckdb.connect(str(path), read_only=True)) as door:
            row = door.execute("select built_from from catalog_built_from").fetchone()
    except duckdb.Error:
        return True
    return row is None or row[0] != _built_from(snapshot)


def build(snapshot: Snapshot) -> Path:
    """Write the door beside the old one and move it into place; a reader has the one or the other."""
    path = snapshot.root / CATALOG
    beside = snapshot.root / f".{CATALOG}-{uuid.uuid4().hex}"
    sql = ""
    try:
        with contextlib.closing(duckdb.connect()) as door:
            door.execute("set TimeZone = 'UTC'")
            door.execute(
                f"attach {literal(str(beside))} as door (storage_version {literal(STORAGE_VERSION)})"
            )
            door.execute("use door")
            stamp = literal(_built_from(snapshot))
            for sql in (
                *base_objects(snapshot),
                *(text for _, text in sqlfiles.objects()),
                f"create view catalog_built_from as select {stamp} as built_from",
            ):
                door.execute(sql)
        os.replace(beside, path)
    except duckdb.Error as error:
        raise translated(error, sql) from error
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        for left in (beside, Path(f"{beside}.wal")):
            left.unlink(missing_ok=True)
    return path


def _built_from(snapshot: Snapshot) -> str:
    """Return what the door depends on: the folder, the table versions, the text of `sql/`."""
    import hashlib  # noqa: PLC0415 - only writers come here

    text = "\n".join(t for _, t in sqlfiles.objects())
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return json.dumps({"root": str(snapshot.root), "sql": digest, **snapshot.versions})


def extract(snapshot: Snapshot, target: Path) -> Path:
    """Write a self-contained copy with native tables; the file is moved into place when whole."""
    beside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    connection = connect(snapshot)
    sql = ""
    try:
        raw = connection.raw
        raw.execute(
            f"attach {literal(str(beside))} as extract (storage_version {literal(STORAGE_VERSION)})"
        )
        for sql in sqlfiles.statements("writes/extract.sql"):
            raw.execute(sql)
        raw.execute("detach extract")
        os.replace(beside, target)
    except duckdb.Error as error:
        raise translated(error, sql) from error
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        connection.close()
        for left in (beside, Path(f"{beside}.wal")):
            left.unlink(missing_ok=True)
    return target
