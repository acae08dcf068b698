"""Rewrites of tables that change no answer: merging small commits, `optimize`, `vacuum`.

All are ours: the library's own compaction is not checked against a stale overwrite.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import time
from pathlib import Path

from mazarbul_analytics import datafiles, tables
from mazarbul_analytics.connection import Connection, connect, literal_path
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables import Conflict, DataFile, Snapshot

__all__ = ["merge_small", "optimize", "vacuum"]

SMALL_FILES = 32
"""So many unsealed small files of one table are merged by the writer that adds the last one."""

SMALL_ROWS = 100_000

LEFT_OVER = (".scratch-*", ".catalog.duckdb-*")

SEALED_ORDER = {
    "relations": "subject_uid, predicate, object_uid, version",
    "entities": "entity_uid",
    "relays": "relay_id",
    "imports": "recorded_at, import_uid",
}


def merge_small(snapshot: Snapshot, scratch: Path) -> bool:
    """Merge the small unsealed files of each table that has gathered many; tell whether any had.

    Rows stay as they are, and so does every answer.
    """
    merged = False
    for name, state in snapshot.tables.items():
        small = [f for f in state.files if not f.sealed and f.rows <= SMALL_ROWS]
        if len(small) < SMALL_FILES:
            continue
        connection = connect(scratch=scratch)
        try:
            paths = ", ".join(literal_path(snapshot.root / name / f.path) for f in small)
            query = f"select * from read_parquet([{paths}], hive_partitioning = false)"
            _rewrite(connection, snapshot.root, state, query, small, sealed=False)
            merged = True
        except Conflict:
            continue  # another machine rewrites at the same time; the next writer merges
        finally:
            connection.close()
    return merged


def _rewrite(
    connection: Connection,
    root: Path,
    state: tables.TableState,
    query: str,
    removed: list[DataFile],
    *,
    sealed: bool,
) -> None:
    path = tables.new_file(root, state.name, sealed=sealed)
    written = datafiles.write(
        connection, query, path, table=state.name, sealed=sealed, scanned=state.name == "relations"
    )
    expected = sum(f.rows for f in removed)
    if (written.rows if written else 0) != expected:
        path.unlink(missing_ok=True)
        raise StoreError(
            f"{root / state.name}: a rewrite read other than {expected} rows; nothing was changed\n"
            "Run `mazarbul check`."
        )
    try:
        if sealed and state.name == "relations":
            _copy_by_object(connection, path)
        tables.commit(state, root, [written] if written else [], removed=removed)
    except BaseException:
        path.unlink(missing_ok=True)
        tables.by_object(path).unlink(missing_ok=True)
        raise


def _copy_by_object(connection: Connection, sealed: Path) -> None:
    """Write the copy of a sealed file that is sorted by object; it gets its name when whole."""
    target = tables.by_object(sealed)
    target.parent.mkdir(exist_ok=True)
    beside = target.with_name(f".{target.name}")
    query = (
        f"select * from read_parquet([{literal_path(sealed)}], hive_partitioning = false) "
        "where removal is null order by object_uid, subject_uid, predicate, version"
    )
    if datafiles.write(connection, query, beside, table="relations", sealed=True) is not None:
        tables.sync(beside)
        beside.replace(target)
        tables.sync(target.parent)


def optimize(snapshot: Snapshot, connection: Connection) -> dict[str, int]:
    """Rewrite every table into one sealed, sorted file; return the rows of each table rewritten.

    `superseded_at` is filled, so that a scan of history is a filter over four time columns.
    """
    done: dict[str, int] = {}
    for name, state in snapshot.tables.items():
        if len(state.files) == 0 or (len(state.files) == 1 and state.files[0].sealed):
            continue
        query = _sealed_query(name)
        _rewrite(connection, snapshot.root, state, query, list(state.files), sealed=True)
        done[name] = state.rows
    return done


def _sealed_query(name: str) -> str:
    order = SEALED_ORDER[name]
    if name == "relations":
        from mazarbul_analytics.sqlfiles import statement  # noqa: PLC0415

        return f"{statement('writes/sealed_relations.sql').strip()} order by {order}"
    return f"select * from {name}_files order by {order}"


def vacuum(snapshot: Snapshot, hours: float) -> list[str]:
    """Delete the data files that no commit names and that are older than `hours`; list them.

    A part of an hour counts as a whole one: no file goes before its time.
    """
    gone: list[str] = []
    for name, state in snapshot.tables.items():
        there = {p.name for p in (snapshot.root / name).iterdir()}
        found = state.handle.vacuum(
            retention_hours=math.ceil(hours),
            dry_run=False,
            enforce_retention_duration=False,
            full=True,
        )
        log = snapshot.root / name / "_delta_log"
        newest = f"{state.version:020d}.json"
        tables.sync(*(p for p in log.glob("*.json") if p.name > newest), log)
        # the library names those too that an earlier call deleted
        gone += [f"{name}/{Path(f).name}" for f in found if Path(f).name in there]
    copies = tables.by_object(snapshot.root / "relations" / "any").parent
    for copy in sorted(copies.iterdir()) if copies.is_dir() else ():
        if not (copies.parent / copy.name).exists():
            copy.unlink()
            gone.append(f"relations/{copies.name}/{copy.name}")
    return sorted([*gone, *_clear_left_over(snapshot.root, max(1.0, hours))])


def _clear_left_over(root: Path, hours: float) -> list[str]:
    """Delete what processes that were killed left beside the tables: spilled rows, half a door.

    An import that is reading has such a folder and no lock: a young one is not touched.
    """
    gone = []
    oldest = time.time() - hours * 3600
    for pattern in LEFT_OVER:
        for left in root.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                if left.stat().st_mtime < oldest:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                    gone.append(left.name)
    return gone
