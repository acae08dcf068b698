"""Verify a store: logs, files, and what the rows promise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.door import catalog
from mazarbul_analytics.engine.connection import Connection, connect
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import MazarbulError
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.tables.damage import whole_read
from mazarbul_analytics.tables.layout import by_object
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.writing.session import lost_imports

__all__ = ["check"]


def check(root: Path) -> pa.Table:
    """Verify logs, files, and what the rows promise; see `Store.check`. Nothing is changed."""
    found: list[tuple[str, str, str]] = []
    try:
        snapshot = snapshots.snapshot(root)
    except MazarbulError as error:
        return _findings([("error", str(root), str(error))])
    for name, state in snapshot.tables.items():
        found += _check_log(root / name / "_delta_log")
        found += _check_files(root / name, state)
    if not any(f[0] == "error" for f in found):
        found += _check_rows(snapshot)
        found += [
            (
                "warning",
                row["file"],
                "its row in imports was lost in a crash; the next write restores it",
            )
            for row in lost_imports(snapshot)
        ]
        if catalog.is_behind(snapshot):
            found.append(
                ("warning", catalog.CATALOG, "is behind the tables: run `mazarbul catalog`")
            )
    return _findings(found)


def _findings(rows: list[tuple[str, str, str]]) -> pa.Table:
    columns = [list(c) for c in zip(*rows, strict=True)] if rows else [[], [], []]
    return pa.table(columns, schema=schema.RESULTS["check"])


def _check_log(log: Path) -> list[tuple[str, str, str]]:
    found = []
    for entry in sorted(log.glob("*.json")):
        try:
            lines = entry.read_text(encoding="utf-8").splitlines()
            whole = bool(lines) and all(isinstance(json.loads(line), dict) for line in lines)
        except ValueError:
            whole = False
        if not whole:
            found.append(("error", str(entry), "the log entry is empty or torn"))
    return found


def _check_files(folder: Path, state: snapshots.TableState) -> list[tuple[str, str, str]]:
    """Read every column of every named file; list files that no commit names."""
    found = []
    connection = connect()
    try:
        for file in state.files:
            path = folder / file.path
            try:
                if not path.exists():
                    raise FileNotFoundError(f"{path} is missing")
                rows = connection.scalar(whole_read(path, state.name))
                copy = by_object(path)
                if state.name == "relations" and file.sealed and copy.exists():
                    found += _check_copy(connection, path, copy)
            except (MazarbulError, OSError) as error:
                text = str(error).split("\n", 1)[0]
                found.append(("error", str(path), f"is damaged or missing: {text}"))
                continue
            if rows != file.rows:
                found.append(("error", str(path), f"holds {rows} rows, the log says {file.rows}"))
    finally:
        connection.close()
    named = {f.path for f in state.files}
    with os.scandir(folder) as entries:
        strays = sorted(
            e.name for e in entries if e.is_file() and e.name not in named and e.name[0] not in "._"
        )
    found += [
        ("info", str(folder / name), "is named by no commit; `mazarbul vacuum` clears it")
        for name in strays
    ]
    return found


def _check_copy(connection: Connection, path: Path, copy: Path) -> list[tuple[str, str, str]]:
    """Hold the copy that is sorted by object to its file: it has all rows but the removals."""
    what = "count(*) filter (where removal is null)"
    try:
        rows = [connection.scalar(whole_read(p, "relations", what)) for p in (path, copy)]
    except MazarbulError:
        return [("error", str(copy), "is damaged; delete it, and reads use the file itself")]
    if rows[0] != rows[1]:
        return [("error", str(copy), f"holds {rows[1]} rows of {rows[0]}; delete it")]
    return []


def _check_rows(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    connection = connect(snapshot)
    try:
        rows = connection.rows(statement("reads/broken_promises.sql"))
    finally:
        connection.close()
    return [(severity, subject, finding) for severity, subject, finding in rows]
