"""What every reader of a file gives: batches of rows, what it refused, and where rows stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Self

import polars as pl
import pyarrow as pa

from mazarbul_analytics.errors import ImportAborted
from mazarbul_analytics.rules.columns import Resolution

__all__ = [
    "REJECTS_SCHEMA",
    "SHOWN_VALUE",
    "Reject",
    "Source",
    "aborted",
    "gathered",
    "number_among",
    "rejects_frame",
]

REJECTS_SCHEMA = pl.Schema(
    {"line": pl.Int64(), "column": pl.String(), "reason": pl.String(), "value": pl.String()}
)
SHOWN_VALUE = 200  # characters of an offending value that a reject carries
_BATCH_BYTES = 256 << 20

Reject = tuple[int, str | None, str, str | None]


def rejects_frame(rejects: Sequence[Reject] = ()) -> pl.DataFrame:
    """Return `(line, column, reason, value)` tuples as a frame of `REJECTS_SCHEMA`."""
    return pl.DataFrame(list(rejects), schema=REJECTS_SCHEMA, orient="row")


def aborted(path: Path | str, cause: str) -> ImportAborted:
    """Return the error of a file whose table cannot be told: `file: cause`."""
    return ImportAborted(f"{path}: {cause}", file=str(path))


class Source(ABC):
    """One file to import.

    `path`; `size` in bytes and `sha256` (64 hex digits) of the file as it lies on disk; `format`
    (`csv`, `jsonl`, `parquet`); `resolution`, what its headers mean; `rows`, how many were yielded
    so far; `bytes_read`, an estimate of how far into `size` the reader is.
    """

    format: str

    def __init__(self, path: Path, size: int, sha256: str, resolution: Resolution) -> None:
        self.path = path
        self.size = size
        self.sha256 = sha256
        self.resolution = resolution
        self.rows = 0
        self.bytes_read = 0
        self._stamp = _stamp(path)

    def check_unchanged(self) -> None:
        """Raise `ImportAborted` when the file was written to since it was opened."""
        if _stamp(self.path) != self._stamp:
            raise aborted(self.path, "the file changed while it was read; import it again")

    @abstractmethod
    def batches(self, rows: int = 1_000_000) -> Iterator[pl.DataFrame]:
        """Yield frames of at most `rows` rows in file order, columns named by the file's headers.

        Only columns with a meaning are there. CSV and JSON lines give text; Parquet keeps its
        types. Every call starts anew. Raises `ImportAborted` when the rest cannot be read.
        """

    def rejects(self) -> pl.DataFrame:
        """Return the rows that the reader refused (`REJECTS_SCHEMA`), whole after the last batch.

        Reasons: `ragged_row`, `bad_quote`, `bad_encoding`. Ordered by line.
        """
        return rejects_frame()

    @abstractmethod
    def lines(self, rows: Sequence[int] | pl.Series) -> list[int]:
        """Return the line on which each of `rows` begins (0-based among the rows yielded).

        CSV: a physical line, the header being line 1; a second pass over the file. JSON lines: a
        physical line. Parquet: the row's number, the first being 1.
        """

    def close(self) -> None:  # noqa: B027 - most readers hold nothing
        """Let go of temporary files. Reading is over."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def gathered(parts: Iterable[pa.RecordBatch], rows: int) -> Iterator[pl.DataFrame]:
    """Join small record batches to frames of at most `rows` rows, and of about 256 MB."""
    held: list[pa.RecordBatch] = []
    height = size = 0
    for part in parts:
        left = part
        while held and height + left.num_rows > rows:
            held.append(left.slice(0, rows - height))
            left = left.slice(rows - height)
            yield _frame(held)
            held, height, size = [], 0, 0
        while left.num_rows > rows:
            yield _frame([left.slice(0, rows)])
            left = left.slice(rows)
        if left.num_rows:
            held.append(left)
            height += left.num_rows
            size += left.nbytes
        if size > _BATCH_BYTES:
            yield _frame(held)
            held, height, size = [], 0, 0
    if held:
        yield _frame(held)


def _frame(parts: list[pa.RecordBatch]) -> pl.DataFrame:
    frame = pl.from_arrow(pa.Table.from_batches(parts))
    if not isinstance(frame, pl.DataFrame):  # pragma: no cover - a table never gives a series
        raise TypeError
    return frame


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return (stat.st_size, stat.st_mtime_ns) if S_ISREG(stat.st_mode) else (0, 0)


def number_among(row: int, refused: Sequence[int]) -> int:
    """Return the 0-based place of accepted row `row` when `refused` places (sorted) drop out."""
    place = row
    while (shifted := row + bisect_right(refused, place)) != place:
        place = shifted
    return place
