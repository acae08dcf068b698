"""Making a change durable: the one committing helper, and the making of empty tables.

A commit is a compare-and-swap: it is made with zero retries on the version that the decision was
read from, so any other commit in between makes it fail and the writer decides again. delta-rs
syncs nothing to disk, and an empty log entry (as a power cut leaves it) would read as an empty
commit: data files, log entry and folders are therefore synced here, and a torn entry is refused.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from mazarbul_analytics import schema
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.tables.layout import FORMAT_VERSION
from mazarbul_analytics.tables.logs import log_entry, translated
from mazarbul_analytics.tables.snapshots import DataFile, Snapshot, TableState

__all__ = ["Conflict", "Written", "commit", "create", "next_instant", "sync"]


class Conflict(Exception):
    """Another writer committed in between: read again and decide again."""


@dataclass(frozen=True)
class Written:
    """A Parquet file that was written into a table's folder and is not yet named by a commit."""

    path: Path
    rows: int
    stats: str


def create(root: Path, settings: Mapping[str, str] | None = None) -> None:
    """Make an empty store; its settings are kept in the metadata of its tables."""
    if "%" in str(root.absolute()):
        raise InvalidValue(
            f"a store's path cannot hold '%': {root}\nChoose another folder: Delta logs decode it.",
            value=str(root),
            reason="bad_path",
        )
    configuration = {"mazarbul.formatVersion": FORMAT_VERSION, **(settings or {})}
    try:
        root.mkdir(parents=True, exist_ok=True)
        # relations last: a store exists once they do, so a crash here is mended by another init
        for name in ("entities", "imports", "relays", "relations"):
            with translated(root / name):
                DeltaTable.create(
                    str((root / name).absolute()),
                    schema=schema.TABLES[name],
                    mode="ignore",
                    name=name,
                    configuration=configuration,
                    raise_if_key_not_exists=False,
                )
            sync(log_entry(root / name, 0), root / name / "_delta_log", root / name, root)
    except OSError as error:
        raise StoreError(f"cannot make a store at {root}: {error.strerror or error}") from error


def next_instant(state: Snapshot) -> datetime:
    """Return the instant of the next commit: now, and later than every instant in the store."""
    now = datetime.now(UTC)
    newest = state.newest_commit
    return now if newest is None else max(now, newest + timedelta(microseconds=1))


def sync(*paths: Path) -> None:
    """Force files and folders to disk."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def commit(
    state: TableState,
    root: Path,
    added: Sequence[Written],
    *,
    removed: Sequence[DataFile] = (),
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Name written files (and unname rewritten ones) in one atomic commit; return its version.

    With `removed` it is a rewrite that changes no data: two rewrites of one table conflict, and
    so does a rewrite with an append. Raises `Conflict` where another commit came first.
    """
    folder = root / state.name
    rewrite = bool(removed)
    now = int(time.time() * 1000)
    actions: list[AddAction | RemoveAction] = []
    for file in added:
        sync(file.path)
        size = file.path.stat().st_size
        actions.append(AddAction(file.path.name, size, {}, now, not rewrite, file.stats))
    actions += [
        RemoveAction(f.path, data_change=False, deletion_timestamp=now, size=f.size)
        for f in removed
    ]
    sync(folder)
    transactions = [Transaction("rewriter", state.version + 1)] if rewrite else None
    properties = CommitProperties(
        custom_metadata=dict(metadata or {}) or None,
        max_commit_retries=0,
        app_transactions=transactions,
    )
    try:
        state.handle.create_write_transaction(
            actions, "append", schema.TABLES[state.name], commit_properties=properties
        )
    except CommitFailedError as error:
        raise Conflict from error
    except (DeltaError, OSError) as error:
        raise StoreError(f"{folder}: the commit failed: {error}") from error
    version = state.version + 1
    sync(log_entry(folder, version), folder / "_delta_log")
    return version
