"""The Delta tables of a store: snapshots, the one committing helper, the writers' queue.

A commit is a compare-and-swap: it is made with zero retries on the version that the decision was
read from, so any other commit in between makes it fail and the writer decides again. delta-rs
syncs nothing to disk, and an empty log entry (as a power cut leaves it) would read as an empty
commit: data files, log entry and folders are therefore synced here, and a torn entry is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from mazarbul_analytics import schema
from mazarbul_analytics.deltalogs import log_entry, refuse_torn, translated
from mazarbul_analytics.errors import InvalidValue, StoreError, WriterBusy

__all__ = [
    "Conflict",
    "DataFile",
    "Snapshot",
    "TableState",
    "Written",
    "by_object",
    "commit",
    "create",
    "exists",
    "new_file",
    "next_instant",
    "snapshot",
    "sync",
    "writer",
]

FORMAT_VERSION = "1"
READ_ORDER = ("imports", "relays", "relations", "entities")
"""Entities are read after relations, and written before: no relation lacks its entity."""


class Conflict(Exception):
    """Another writer committed in between: read again and decide again."""


@dataclass(frozen=True)
class DataFile:
    """One Parquet file that a table's log names; `lowest` and `highest` are its statistics."""

    path: str
    size: int
    rows: int
    lowest: Mapping[str, Any]
    highest: Mapping[str, Any]

    @property
    def sealed(self) -> bool:
        """Whether `optimize` wrote it, with `superseded_at` filled."""
        return self.path.startswith("sealed-")


@dataclass(frozen=True)
class TableState:
    """A table at one version: its files, and the settings in its metadata."""

    name: str
    version: int
    files: tuple[DataFile, ...]
    settings: Mapping[str, str]
    handle: DeltaTable = field(repr=False, compare=False)

    def highest(self, column: str) -> Any:  # noqa: ANN401 - whatever the column holds
        """Return the largest value of a column by the files' statistics, None where it is empty."""
        found = [f.highest[column] for f in self.files if f.highest.get(column) is not None]
        return max(found, default=None)

    @property
    def rows(self) -> int:
        """The number of rows of all files."""
        return sum(f.rows for f in self.files)


@dataclass(frozen=True)
class Snapshot:
    """All tables of a store, each at the version that was newest when it was read."""

    root: Path
    tables: Mapping[str, TableState]

    @property
    def versions(self) -> dict[str, int]:
        """The version of each table, by name."""
        return {name: state.version for name, state in sorted(self.tables.items())}

    @property
    def newest_commit(self) -> datetime | None:
        """The store's clock: the largest transaction instant of any table."""
        found = [
            state.highest("deposited_at" if name == "relays" else "recorded_at")
            for name, state in self.tables.items()
        ]
        return max((f for f in found if f is not None), default=None)

    def is_current(self) -> bool:
        """Tell whether no table has moved on."""
        return not any(
            log_entry(self.root / name, state.version + 1).exists()
            for name, state in self.tables.items()
        )


@dataclass(frozen=True)
class Written:
    """A Parquet file that was written into a table's folder and is not yet named by a commit."""

    path: Path
    rows: int
    stats: str


def exists(root: Path) -> bool:
    """Tell whether a folder holds a store."""
    try:
        with os.scandir(root / "relations" / "_delta_log") as entries:
            return next(entries, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


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


def snapshot(root: Path) -> Snapshot:
    """Read the newest version of every table."""
    if not exists(root):
        raise StoreError(
            f"no store at {root}\nMake one with `mazarbul --store {root} init`, "
            "or name another with --store or MAZARBUL_STORE."
        )
    return Snapshot(root.absolute(), {name: table(root, name) for name in READ_ORDER})


def table(root: Path, name: str) -> TableState:
    """Read the newest version of one table."""
    folder = (root / name).absolute()
    refuse_torn(folder)
    with translated(folder):
        handle = DeltaTable(str(folder))
        actions = _plain_rows(handle.get_add_actions(flatten=True))
        settings = {k: v for k, v in handle.metadata().configuration.items() if v is not None}
    if settings.get("mazarbul.formatVersion", FORMAT_VERSION) != FORMAT_VERSION:
        raise StoreError(
            f"{folder}: written in store format {settings['mazarbul.formatVersion']}, "
            f"this release reads {FORMAT_VERSION}\nInstall a newer release."
        )
    files = tuple(_data_file(a) for a in sorted(actions, key=lambda a: a["path"]))
    return TableState(name, handle.version(), files, settings, handle)


def _plain_rows(stream: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - anything with Arrow's stream
    """Return rows as Python values, instants in UTC.

    pyarrow imports pandas, where it is installed, for `pa.table` and for instants with a zone.
    """
    found = pa.RecordBatchReader.from_stream(stream).read_all()
    instants = [f.name for f in found.schema if pa.types.is_timestamp(f.type)]
    naive = [
        pa.field(f.name, pa.timestamp("us")) if f.name in instants else f for f in found.schema
    ]
    rows: list[dict[str, Any]] = found.cast(pa.schema(naive)).to_pylist()
    for row in rows:
        for name in instants:
            if row[name] is not None:
                row[name] = row[name].replace(tzinfo=UTC)
    return rows


def _data_file(action: Mapping[str, Any]) -> DataFile:
    def bounds(prefix: str) -> dict[str, Any]:
        return {k.removeprefix(prefix): v for k, v in action.items() if k.startswith(prefix)}

    return DataFile(
        action["path"], action["size_bytes"], action["num_records"], bounds("min."), bounds("max.")
    )


def next_instant(state: Snapshot) -> datetime:
    """Return the instant of the next commit: now, and later than every instant in the store."""
    now = datetime.now(UTC)
    newest = state.newest_commit
    return now if newest is None else max(now, newest + timedelta(microseconds=1))


def new_file(root: Path, name: str, *, sealed: bool = False) -> Path:
    """Return the path of a data file to be written into a table's folder."""
    return root / name / f"{'sealed' if sealed else 'part'}-{uuid.uuid4().hex}.parquet"


def by_object(sealed: Path) -> Path:
    """Return where the copy of a sealed relations file that is sorted by object lies.

    The folder's name begins with an underscore, so that no reader of the table takes it for data.
    """
    return sealed.parent / "_by_object" / sealed.name


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


def last_commit(root: Path, state: TableState) -> dict[str, Any]:
    """Return the `commitInfo` of the newest commit of a table."""
    entry = log_entry(root / state.name, state.version)
    for line in entry.read_text(encoding="utf-8").splitlines():
        action = json.loads(line)
        if "commitInfo" in action:
            return dict(action["commitInfo"])
    return {}


@contextlib.contextmanager
def writer(root: Path) -> Iterator[None]:
    """Hold the store's lock: one writer of this machine at a time, first come first served.

    Waits as long as `MAZARBUL_LOCK_TIMEOUT` says (seconds, default 300); the system frees the
    lock of a process that dies. Raises `WriterBusy`, which names the holder.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - readers never need it

    limit = _lock_timeout()
    note = root / ".writer"
    lock = FileLock(str(root / ".lock"), timeout=limit)
    try:
        lock.acquire()
    except Timeout as error:
        with contextlib.suppress(OSError):
            holder = note.read_text(encoding="utf-8")
            raise WriterBusy(
                f"another writer holds {root}: {holder} (waited {limit:g} s)\n"
                "Try again when it is done, or wait longer with MAZARBUL_LOCK_TIMEOUT=SECONDS.",
                holder=holder,
            ) from error
        raise WriterBusy(f"another writer holds {root} (waited {limit:g} s)") from error
    except OSError as error:
        raise StoreError(f"cannot write to {root}: {error.strerror or error}") from error
    try:
        with contextlib.suppress(OSError):
            since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            note.write_text(f"process {os.getpid()} since {since}", encoding="utf-8")
        yield
    finally:
        lock.release()


def _lock_timeout() -> float:
    given = os.environ.get("MAZARBUL_LOCK_TIMEOUT", "300")
    try:
        return max(0.0, float(given))
    except ValueError:
        raise InvalidValue(
            f"MAZARBUL_LOCK_TIMEOUT is not a number of seconds: {given!r}", value=given
        ) from None
