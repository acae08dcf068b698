"""Rewrites of tables that change no answer: the one way to rewrite, and the merging of small files.

All are ours: the library's own compaction is not checked against a stale overwrite.
"""

from __future__ import annotations

from pathlib import Path

from mazarbul_analytics.engine import datafiles
from mazarbul_analytics.engine.connection import Connection, connect, literal_path
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables import commits, layout, snapshots
from mazarbul_analytics.tables.commits import Conflict
from mazarbul_analytics.tables.snapshots import DataFile, Snapshot

__all__ = ["merge_small", "rewrite"]

SMALL_FILES = 32
"""So many unsealed small files of one table are merged by the writer that adds the last one."""

SMALL_ROWS = 100_000


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
            rewrite(connection, snapshot.root, state, query, small, sealed=False)
            merged = True
        except Conflict:
            continue  # another machine rewrites at the same time; the next writer merges
        finally:
            connection.close()
    return merged


def rewrite(
    connection: Connection,
    root: Path,
    state: snapshots.TableState,
    query: str,
    removed: list[DataFile],
    *,
    sealed: bool,
) -> None:
    """Put one new file in the place of others, where it holds as many rows; raises `Conflict`."""
    path = layout.new_file(root, state.name, sealed=sealed)
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
        commits.commit(state, root, [written] if written else [], removed=removed)
    except BaseException:
        path.unlink(missing_ok=True)
        layout.by_object(path).unlink(missing_ok=True)
        raise


def _copy_by_object(connection: Connection, sealed: Path) -> None:
    """Write the copy of a sealed file that is sorted by object; it gets its name when whole."""
    target = layout.by_object(sealed)
    target.parent.mkdir(exist_ok=True)
    beside = target.with_name(f".{target.name}")
    query = (
        f"select * from read_parquet([{literal_path(sealed)}], hive_partitioning = false) "
        "where removal is null order by object_uid, subject_uid, predicate, version"
    )
    if datafiles.write(connection, query, beside, table="relations", sealed=True) is not None:
        commits.sync(beside)
        beside.replace(target)
        commits.sync(target.parent)
