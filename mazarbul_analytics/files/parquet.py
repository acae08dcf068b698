"""Parquet, read by DuckDB in row order: it survives what newer writers leave in a file."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from mazarbul_analytics.engine import bare
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.sources import (
    SHOWN_VALUE,
    Reject,
    Source,
    aborted,
    gathered,
    number_among,
    rejects_frame,
)
from mazarbul_analytics.files.text import sha256_of
from mazarbul_analytics.rules.columns import Resolution, resolve

__all__ = ["ParquetSource"]

_READ_ROWS = 1 << 16
_BYTES_COLUMNS = frozenset({"record", "body"})  # of relays: their bytes are kept exactly


class ParquetSource(Source):
    """A Parquet file; columns keep their types, structs and maps become JSON text."""

    format = "parquet"

    def __init__(self, path: Path, kind: str, mapping: Mapping[str, str] | None) -> None:
        with _connected() as connection:
            try:
                names, self._height = _facts(connection, path)
            except (duckdb.Error, OSError) as error:
                raise _damaged(path, error) from error
        try:
            resolution = resolve(names, mapping, kind)
        except InvalidValue as error:
            raise aborted(path, str(error)) from error
        super().__init__(path, path.stat().st_size, sha256_of(path), resolution)
        self._as_bytes = _kept_bytes(resolution, kind)
        self._clear()

    def batches(self, rows: int = 1_000_000) -> Iterator[pl.DataFrame]:  # noqa: D102
        self._clear()
        rejects: list[Reject] = []
        with _connected() as connection:
            try:
                for frame in gathered(self._read(connection), rows):
                    batch = self._as_text(frame, rejects)
                    self.rows += batch.height
                    seen = self.rows + len(self._refused)
                    self.bytes_read = self.size * seen // max(1, self._height)
                    yield batch
            except (duckdb.Error, pa.ArrowException, OSError, pl.exceptions.PolarsError) as error:
                raise _damaged(self.path, error) from error
        self._rejects = rejects_frame(rejects)
        if self.rows + len(self._refused) != self._height:
            raise aborted(self.path, f"its footer promises {self._height} rows, {self.rows} came")
        self.check_unchanged()
        self.bytes_read = self.size

    def rejects(self) -> pl.DataFrame:  # noqa: D102
        return self._rejects

    def lines(self, rows: Sequence[int] | pl.Series) -> list[int]:  # noqa: D102
        return [number_among(int(row), self._refused) + 1 for row in rows]

    def _clear(self) -> None:
        self.rows = self.bytes_read = 0
        self._rejects = rejects_frame()
        self._refused: list[int] = []  # 0-based numbers of refused rows, sorted

    def _read(self, connection: duckdb.DuckDBPyConnection) -> Iterator[pa.RecordBatch]:
        headers = list(dict.fromkeys(self.resolution.columns.values()))
        scan = "from read_parquet($path, hive_partitioning = false) select "
        values = {"path": _escaped(self.path)}
        columns = ", ".join(_identifier(header) for header in headers)
        described = connection.sql(scan + columns, params=values)
        columns = ", ".join(
            _column(header, str(kind))
            for header, kind in zip(headers, described.types, strict=True)
        )
        reader = connection.sql(scan + columns, params=values).to_arrow_reader(_READ_ROWS)
        for part in reader:
            yield part.rename_columns(headers)

    def _as_text(self, frame: pl.DataFrame, rejects: list[Reject]) -> pl.DataFrame:
        """Decode byte columns as UTF-8 and drop the rows that are not."""
        start = self.rows + len(self._refused)
        bad: dict[int, Reject] = {}
        for name, kind in frame.schema.items():
            if isinstance(kind, (pl.Categorical, pl.Enum)):
                frame = frame.with_columns(pl.col(name).cast(pl.String))
            if kind != pl.Binary or name in self._as_bytes:
                continue
            decoded, failed = _decoded(frame[name])
            frame = frame.with_columns(decoded)
            for row, value in failed.items():
                bad.setdefault(row, (start + row + 1, name, "bad_encoding", value))
        if not bad:
            return frame
        rows = sorted(bad)
        rejects.extend(bad[row] for row in rows)
        self._refused.extend(start + row for row in rows)
        kept = ~pl.int_range(pl.len()).is_in(rows)
        return frame.filter(kept)


def _kept_bytes(resolution: Resolution, kind: str) -> set[str]:
    if kind != "relays":
        return set()
    return {header for name, header in resolution.columns.items() if name in _BYTES_COLUMNS}


def _decoded(column: pl.Series) -> tuple[pl.Series, dict[int, str]]:
    try:
        return column.cast(pl.String), {}
    except pl.exceptions.PolarsError:
        pass
    texts: list[str | None] = []
    failed: dict[int, str] = {}
    for row, value in enumerate(column):
        try:
            texts.append(None if value is None else value.decode())
        except UnicodeDecodeError:
            failed[row] = value.decode("utf-8", "backslashreplace")[:SHOWN_VALUE]
            texts.append(None)
    return pl.Series(column.name, texts, dtype=pl.String), failed


def _connected() -> duckdb.DuckDBPyConnection:
    connection = bare.start()
    connection.execute("set temp_directory = $folder", {"folder": tempfile.gettempdir()})
    connection.execute("set produce_arrow_string_view = true")
    return connection


def _facts(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[list[str], int]:
    """Return the outermost column names, exactly as in the file, and the number of rows."""
    where = {"path": _escaped(path)}
    found = connection.execute("select name, num_children from parquet_schema($path)", where)
    names: list[str] = []
    depth = [1]  # children still to come, level by level; the root is the only one on its level
    for name, children in found.fetchall():
        while depth[-1] == 0:
            depth.pop()
        depth[-1] -= 1
        if len(depth) == 2:  # noqa: PLR2004 - the level below the root
            names.append(name)
        if children:
            depth.append(children)
    counted = connection.execute("select num_rows from parquet_file_metadata($path)", where)
    row = counted.fetchone()
    return names, int(row[0]) if row else 0


def _column(header: str, kind: str) -> str:
    name = _identifier(header)
    if kind.startswith(("STRUCT", "MAP")) and not kind.endswith("]"):
        return f"to_json({name})::varchar as {name}"
    return name


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _escaped(path: Path) -> str:
    return re.sub(r"([\[*?])", r"[\1]", str(path))


def _damaged(path: Path, error: Exception) -> Exception:
    return aborted(path, f"not readable as Parquet ({str(error).splitlines()[0][:300]})")
