"""Rewrites of tables that change no answer: merging small commits, `optimize`, `vacuum`.

All are ours: the library's own compaction is not checked against a stale overwrite.
"""

from __future__ import annotations

from pathlib import Path

from mazarbul_analytics import datafiles, tables
from mazarbul_analytics.connection import Connection, connect, literal_path
from mazarbul_analytics.tables import Conflict, DataFile, Snapshot

__all__ = ["merge_small", "optimize", "vacuum"]

SMALL_FILES = 32
"""So many unsealed small files of one table are merged by the writer that adds the last one."""

SMALL_ROWS = 100_000

SEALED_ORDER = {
    "relations": "subject_uid, predicate, object_uid, version",
    "entities": "entity_uid",
    "relays": "relay_id",
    "imports": "recorded_at, import_uid",
}


def merge_small(root: Path, scratch: Path) -> None:
    """Merge the small unsealed files of each table that has gathered many; rows stay as they are."""
    for name in tables.READ_ORDER:
        log = root / name / "_delta_log"
        state = tables.table(root, name) if log.is_dir() else None
        if state is None:
            continue
        small = [f for f in state.files if not f.sealed and f.rows <= SMALL_ROWS]
        if len(small) < SMALL_FILES:
            continue
        connection = connect(scratch=scratch)
        try:
            paths = ", ".join(literal_path(root.absolute() / name / f.path) for f in small)
            query = f"select * from read_parquet([{paths}], hive_partitioning = false)"
            _rewrite(connection, root, state, query, small, sealed=False)
        except Conflict:
            continue  # another machine rewrites at the same time; the next writer merges
        finally:
            connection.close()


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
    written = datafiles.write(connection, query, path, sealed=sealed)
    expected = sum(f.rows for f in removed)
    if (written.rows if written else 0) != expected:
        path.unlink(missing_ok=True)
        raise tables.StoreError(
            f"{root / state.name}: a rewrite read other than {expected} rows; nothing was changed\n"
            "Run `mazarbul check`."
        )
    try:
        tables.commit(state, root, [written] if written else [], removed=removed)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


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
    """Delete the data files that no commit names and that are older than `hours`; list them."""
    gone: list[str] = []
    for name, state in snapshot.tables.items():
        found = state.handle.vacuum(
            retention_hours=int(hours), dry_run=False, enforce_retention_duration=False, full=True
        )
        gone += [f"{name}/{Path(f).name}" for f in found]
    return sorted(gone)
