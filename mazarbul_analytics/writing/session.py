"""One writing call from lock to door: queue, read, decide, commit, renew the catalog."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from mazarbul_analytics.door import catalog
from mazarbul_analytics.engine import datafiles
from mazarbul_analytics.engine.connection import Connection, connect, overlay
from mazarbul_analytics.errors import StoreError, WriterBusy, WritesDisabled
from mazarbul_analytics.rules.switches import switched_on
from mazarbul_analytics.schema import TABLES, duckdb_type
from mazarbul_analytics.tables import commits, layout, lock, snapshots
from mazarbul_analytics.tables.commits import Conflict
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.writing import folding

__all__ = ["IMPORTS_KEY", "Session", "refuse_when_disabled", "transact"]

IMPORTS_KEY = "mazarbulImports"
"""Where a commit carries the rows of `imports` that belong to it, as JSON."""

MOST_TRIES = 50

log = logging.getLogger("mazarbul_analytics")

Answer = TypeVar("Answer")


def refuse_when_disabled() -> None:
    """Raise `WritesDisabled` where `ENABLE_MEMORY` is set to anything but true."""
    if not switched_on("ENABLE_MEMORY"):
        raise WritesDisabled("Memory not enabled")


@dataclass
class Session:
    """What a writing call decides on: a snapshot, a connection over it, and its instant."""

    snapshot: Snapshot
    connection: Connection
    instant: datetime

    @property
    def root(self) -> Path:
        """The store's folder."""
        return self.snapshot.root

    def append(self, name: str, query: str, metadata: Mapping[str, str] | None = None) -> int:
        """Append the rows of a query to a table in one commit; return how many there were."""
        path = layout.new_file(self.root, name)
        written = datafiles.write(self.connection, query, path, table=name)
        if written is None:
            return 0
        try:
            commits.commit(self.snapshot.tables[name], self.root, [written], metadata=metadata)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return written.rows


def transact(
    root: Path,
    decide: Callable[[Session], Answer],
    opened: Callable[[Path], Connection] | None = None,
) -> Answer:
    """Run a decision under the writers' lock, again when another machine committed in between.

    The decision reads through the session and commits by `Session.append`; `opened` gives it a
    connection of its own making. Import rows that a crash lost are restored first; the catalog is
    renewed last, when it is behind.
    """
    refuse_when_disabled()
    if not layout.exists(root):
        snapshots.snapshot(root)  # raises the error that says how to make one
    with lock.writer(root):
        scratch = root / ".scratch"
        try:
            before = snapshots.snapshot(root)
            _restore_imports(before, scratch)
            for _ in range(MOST_TRIES):
                connection = (opened or _plain)(scratch)
                state = snapshots.snapshot(root) if not before.is_current() else before
                try:
                    overlay(connection, state, writing=True)
                    answer = decide(Session(state, connection, commits.next_instant(state)))
                except Conflict:
                    continue
                finally:
                    connection.close()
                try:
                    _tidy(root, state, scratch)
                except StoreError as error:
                    # the change is recorded: to report a failure would be wrong
                    log.warning(
                        "what was asked is done; merging files or renewing %s failed: %s\n"
                        "When there is room again, run `mazarbul catalog`.",
                        catalog.CATALOG,
                        str(error).split("\n", 1)[0],
                    )
                return answer
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    raise WriterBusy(f"{root}: other writers committed {MOST_TRIES} times in between; try again.")


def _tidy(root: Path, state: Snapshot, scratch: Path) -> None:
    """Merge small files and renew the door, where the call committed or left either behind."""
    if not state.is_current():
        state = snapshots.snapshot(root)
        if folding.merge_small(state, scratch):
            state = snapshots.snapshot(root)
        catalog.build(state)
    elif catalog.is_behind(state):
        catalog.build(state)


def _plain(scratch: Path) -> Connection:
    return connect(scratch=scratch)


def _restore_imports(state: Snapshot, scratch: Path) -> None:
    """Write the import rows of the newest commits where a crash came between the two."""
    lost = lost_imports(state)
    if not lost:
        return
    connection = connect(state, scratch=scratch)
    try:
        append_imports(Session(state, connection, commits.next_instant(state)), lost)
    finally:
        connection.close()


def lost_imports(state: Snapshot) -> list[dict[str, Any]]:
    """Return the import rows that the newest commit of a table carries and `imports` lacks."""
    carried: list[dict[str, Any]] = []
    for name in ("entities", "relations", "relays"):
        info = snapshots.last_commit(state.root, state.tables[name])
        carried += json.loads(info.get(IMPORTS_KEY, "[]"))
    if not carried:
        return []
    connection = connect(state)
    try:
        known = {r[0] for r in connection.rows("select import_uid from imports")}
    finally:
        connection.close()
    return [row for row in carried if row["import_uid"] not in known]


def append_imports(session: Session, rows: list[dict[str, Any]]) -> None:
    """Append rows to the `imports` table; instants in them are RFC 3339 text."""
    columns = ", ".join(
        f"cast(value ->> '{f.name}' as {duckdb_type(f)}) as {f.name}" for f in TABLES["imports"]
    )
    session.connection.execute(
        f"create or replace temp table import_rows as select {columns} "
        "from (select unnest(cast($rows as json[])) as value)",
        {"rows": [json.dumps(row) for row in rows]},
    )
    session.append("imports", "select * from import_rows")
