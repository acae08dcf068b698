"""Keeping a store: make one, optimize, vacuum, check, count, build and extract the door."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from mazarbul_analytics import catalog as _catalog
from mazarbul_analytics import merging, schema, tables
from mazarbul_analytics.connection import Connection, connect
from mazarbul_analytics.damage import whole_read
from mazarbul_analytics.errors import InvalidValue, MazarbulError
from mazarbul_analytics.relayids import FIRST_SETTING, FORM_SETTING, IdForm
from mazarbul_analytics.sqlfiles import statement
from mazarbul_analytics.tables import Snapshot, by_object
from mazarbul_analytics.writing import Session, lost_imports, refuse_when_disabled, transact

__all__ = ["catalog", "check", "create", "info", "optimize", "vacuum"]


def create(root: Path, *, relay_id_form: str | None = None, relay_first: int | None = None) -> None:
    """Make an empty store with its door; raises `InvalidValue` for a form that is none."""
    refuse_when_disabled()
    settings: dict[str, str] = {}
    if relay_id_form is not None:
        settings[FORM_SETTING] = _relay_form(relay_id_form)
    if relay_first is not None:
        if relay_first < 0:
            raise InvalidValue(
                f"the first relay number is 0 or more: {relay_first}", value=relay_first
            )
        settings[FIRST_SETTING] = str(relay_first)
    tables.create(root, settings)
    _catalog.build(tables.snapshot(root))


def refuse_other_form(root: Path, relay_id_form: str | None, relay_first: int | None) -> None:
    """Raise `InvalidValue` where a store that is there has another form of ids than asked for."""
    settings = tables.table(root, "relays").settings
    held = IdForm.of(settings)
    if relay_id_form not in (None, str(held)) or relay_first not in (None, held.first):
        first = "" if held.first is None else f" from {held.first} on"
        raise InvalidValue(
            f"the store at {root} has relay ids of the form {held}{first}, and keeps it\n"
            "Leave the option out, or make another store.",
            value=relay_id_form or relay_first,
            reason="bad_id",
        )


MOST_DIGITS = 18
"""More would not fit a whole number of the engine."""


def _relay_form(text: str) -> str:
    prefix = text.rstrip("#")
    digits = len(text) - len(prefix)
    if (
        not prefix
        or not 1 <= digits <= MOST_DIGITS
        or "#" in prefix
        or any(c.isspace() for c in prefix)
    ):
        raise InvalidValue(
            f"not a form of relay ids: {text!r}\nWrite a prefix and a # for each digit: relay-####",
            value=text,
            reason="bad_id",
        )
    return text


def optimize(root: Path) -> dict[str, int]:
    """Rewrite the tables into sealed, sorted files; see `Store.optimize`."""

    def decide(session: Session) -> dict[str, int]:
        return merging.optimize(session.snapshot, session.connection)

    return transact(root, decide)


def vacuum(root: Path, older_than: timedelta) -> list[str]:
    """Delete files that no commit names any more; see `Store.vacuum`."""
    hours = older_than.total_seconds() / 3600

    def decide(session: Session) -> list[str]:
        # a door that a crash left behind names files that are to go
        if _catalog.is_behind(session.snapshot):
            _catalog.build(session.snapshot)
        return merging.vacuum(session.snapshot, hours)

    return transact(root, decide)


def catalog(root: Path, extract: Path | None, *, relay_bytes: bool = False) -> Path:
    """Build the door anew, or write a self-contained copy to `extract`; see `Store.catalog`."""
    if extract is not None:
        return _catalog.extract(tables.snapshot(root), extract, relay_bytes=relay_bytes)
    if relay_bytes:
        raise InvalidValue(
            "relay_bytes is said of an extract, and none is asked for\nGive extract=FILE too.",
            value="relay_bytes",
        )

    def decide(session: Session) -> Path:
        return _catalog.build(session.snapshot)

    return transact(root, decide)


def info(connection: Connection, snapshot: Snapshot) -> dict[str, Any]:
    """Return counts, sizes, table versions, the newest commit's instant."""
    row = connection.named("reads/info.sql").to_pylist()[0]
    return {
        "path": str(snapshot.root),
        **row,
        "newest_commit": snapshot.newest_commit,
        "tables": {
            name: {
                "version": state.version,
                "files": len(state.files),
                "sealed_files": sum(f.sealed for f in state.files),
                "rows": state.rows,
                "bytes": sum(f.size for f in state.files),
            }
            for name, state in sorted(snapshot.tables.items())
        },
    }


def check(root: Path) -> pa.Table:
    """Verify logs, files, and what the rows promise; see `Store.check`. Nothing is changed."""
    found: list[tuple[str, str, str]] = []
    try:
        snapshot = tables.snapshot(root)
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
        if _catalog.is_behind(snapshot):
            found.append(
                ("warning", _catalog.CATALOG, "is behind the tables: run `mazarbul catalog`")
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


def _check_files(folder: Path, state: tables.TableState) -> list[tuple[str, str, str]]:
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
