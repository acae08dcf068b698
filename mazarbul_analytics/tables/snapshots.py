"""What the tables of a store hold at one moment: their versions, files, bounds and settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables.layout import FORMAT_VERSION, READ_ORDER, exists
from mazarbul_analytics.tables.logs import log_entry, refuse_torn, translated

__all__ = ["DataFile", "Snapshot", "TableState", "last_commit", "snapshot", "table"]


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


def last_commit(root: Path, state: TableState) -> dict[str, Any]:
    """Return the `commitInfo` of the newest commit of a table."""
    entry = log_entry(root / state.name, state.version)
    for line in entry.read_text(encoding="utf-8").splitlines():
        action = json.loads(line)
        if "commitInfo" in action:
            return dict(action["commitInfo"])
    return {}
