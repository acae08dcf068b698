"""Which data file of a store is missing or damaged: asked after a failure, and by `check`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from mazarbul_analytics import schema
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.quoting import literal_path, quoted
from mazarbul_analytics.tables.layout import by_object
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["damage_of", "whole_read"]

_MAGIC = b"PAR1"


def whole_read(path: Path, name: str, what: str = "count(*)") -> str:
    """Return a query that reads every value of a file of the table `name`; it gives `what` first.

    The hashes must be among what it returns, or the engine would not read their columns.
    """
    touched = ", ".join(f"max(hash({quoted(f.name)}))" for f in schema.TABLES[name])
    source = f"read_parquet({literal_path(path.absolute())}, hive_partitioning = false)"
    return f"select {what}, {touched} from {source}"


def damage_of(
    snapshot: Snapshot, run: Callable[[str], object], failures: type[Exception], *, deep: bool
) -> StoreError | None:
    """Return the error that names the first missing or damaged file, None where all are well.

    Ends and sizes are looked at first; with `deep` every value is read by `run`, which raises one
    of `failures` over a file that cannot be read.
    """
    files = list(_files(snapshot))
    for path, _, size in files:
        try:
            with path.open("rb") as stream:
                head = stream.read(4)
                length = stream.seek(0, 2)
                stream.seek(max(0, length - 4))
                whole = head == stream.read(4) == _MAGIC and size in (None, length)
        except FileNotFoundError:
            return _error(path, "is missing")
        except OSError as error:
            return _error(path, f"cannot be read: {error.strerror or error}")
        if not whole:
            return _error(path, "is cut or overwritten")
    for path, name, _ in files if deep else ():
        try:
            run(whole_read(path, name))
        except failures:
            return _error(path, "is damaged inside")
    return None


def _files(snapshot: Snapshot) -> Iterator[tuple[Path, str, int | None]]:
    """Yield path, table and size by the log of every file that reads may open."""
    for name, state in snapshot.tables.items():
        for file in state.files:
            path = snapshot.root / name / file.path
            yield path, name, file.size
            if name == "relations" and file.sealed and by_object(path).exists():
                yield by_object(path), name, None


def _error(path: Path, what: str) -> StoreError:
    return StoreError(f"{path}: the data file {what}\nRestore it from a copy of the store.")
