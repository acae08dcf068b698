"""Result tables as bytes: JSON, JSON lines, CSV (RFC 4180) and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import pyarrow as pa

from mazarbul_analytics.cli.cells import json_cells, text_cells

__all__ = ["WRITERS", "Rows", "rows_of", "write_parquet"]

_CHUNK = 10_000
_EMPTY = '""'
_SPECIAL = re.compile('[",\r\n]')


class Rows:
    """A result: its schema, and its batches, which may be read once."""

    def __init__(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        self.schema = pa.schema(map(_utc, schema)).with_metadata(None)
        self._batches = batches

    def names(self) -> list[str]:
        """Return the column names, made unique: a second `a` is `a_1`, as an engine would."""
        taken: list[str] = []
        for name in self.schema.names:
            candidate, n = name, 0
            while candidate in taken:
                n += 1
                candidate = f"{name}_{n}"
            taken.append(candidate)
        return taken

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches of at most 10,000."""
        for batch in self._batches:
            for start in range(0, batch.num_rows, _CHUNK):
                yield batch.slice(start, _CHUNK)


def _utc(field: pa.Field) -> pa.Field:
    # DuckDB says Etc/UTC, which Delta's readers refuse
    kind = field.type
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return field.with_type(pa.timestamp(kind.unit, tz="UTC")) if zoned else field


def rows_of(result: Any) -> Rows:  # noqa: ANN401 - whatever a call returns
    """Return the rows of a table, a reader, something with a `.table`, or a mapping (one row)."""
    if isinstance(result, Mapping):
        result = pa.Table.from_pylist([dict(result)])
    if isinstance(result, pa.RecordBatchReader):
        return Rows(result.schema, result)
    table: pa.Table = result if isinstance(result, pa.Table) else result.table
    return Rows(table.schema, table.to_batches())


def _json_rows(rows: Rows) -> Iterator[str]:
    keys = [k + ":" for k in json_cells(pa.array(rows.names(), pa.string()))]
    names = rows.schema.names
    for batch in rows.batches():
        columns = [
            json_cells(column, name=name) for column, name in zip(batch.columns, names, strict=True)
        ]
        for cells in zip(*columns, strict=True):
            yield "{" + ",".join(map(str.__add__, keys, cells)) + "}"


def _jsonl(rows: Rows) -> Iterator[bytes]:
    for row in _json_rows(rows):
        yield f"{row}\n".encode()


def _json(rows: Rows) -> Iterator[bytes]:
    before = b"[\n"
    for row in _json_rows(rows):
        yield before + row.encode()
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def _csv(rows: Rows) -> Iterator[bytes]:
    yield _record(rows.names())
    for batch in rows.batches():
        for cells in zip(*map(text_cells, batch.columns), strict=True):
            yield _record(cells)


def _record(cells: Iterable[str | None]) -> bytes:
    # a line with nothing on it would be read as no record
    line = ",".join(map(_csv_cell, cells)) or _EMPTY
    return f"{line}\r\n".encode()


def _csv_cell(text: str | None) -> str:
    """Return a cell: null is empty, an empty text is quoted, so that both come back."""
    if text is None:
        return ""
    if text and _SPECIAL.search(text) is None:
        return text
    return '"' + text.replace('"', '""') + '"'


WRITERS: dict[str, Callable[[Rows], Iterator[bytes]]] = {
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
}
"""The formats that are a stream of bytes."""


def write_parquet(rows: Rows, sink: BinaryIO) -> None:
    """Write the rows as one Parquet file (zstd): instants in UTC, intervals as text."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - only this format needs it

    fields = [
        field.with_name(name).with_type(pa.string() if _no_parquet(field.type) else field.type)
        for field, name in zip(rows.schema, rows.names(), strict=True)
    ]
    with pq.ParquetWriter(sink, pa.schema(fields), compression="zstd") as writer:
        for batch in rows.batches():
            columns = [
                pa.array(text_cells(column), pa.string())
                if _no_parquet(column.type)
                else column.cast(field.type)
                for column, field in zip(batch.columns, fields, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields)))


def _no_parquet(kind: pa.DataType) -> bool:
    return bool(pa.types.is_interval(kind))
