"""Record text files as a source of rows: a folder of them, or one; each is named by its id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from mazarbul_analytics.files.sources import Reject, Source, aborted, rejects_frame
from mazarbul_analytics.rules.columns import Resolution

__all__ = ["RecordFiles", "is_record_files"]

SUFFIX = ".txt"
_BATCH_BYTES = 64 << 20


def is_record_files(path: Path) -> bool:
    """Tell whether a path is a folder or a text file; all else is a table."""
    return path.is_dir() or path.suffix.lower() == SUFFIX


class RecordFiles(Source):
    """The `.txt` files of a folder in order of name, or the one file given by name.

    Rows have `id`, the file's name without its ending, and `record`, its bytes. Other files of the
    folder are in `passed_over`. `sha256` is over the names and digests of all that was read, and
    known after the last batch.
    """

    format = "records"

    def __init__(self, path: Path) -> None:
        self.passed_over: list[str] = []
        try:
            self._files = self._found(path)
            size = sum(f.stat().st_size for f in self._files if f.is_file())
        except OSError as error:
            raise aborted(path, error.strerror or str(error)) from error
        super().__init__(path, size, "", Resolution({"id": "id", "record": "record"}))

    def _found(self, path: Path) -> list[Path]:
        if not path.is_dir():
            return [path]
        files = sorted(path.iterdir(), key=lambda f: f.name)
        kept = [f for f in files if f.suffix.lower() == SUFFIX and not f.is_dir()]
        wanted = set(kept)
        self.passed_over = [str(f) for f in files if f not in wanted and not f.name.startswith(".")]
        return [f for f in kept if not f.name.startswith(".")]

    def batches(self, rows: int = 1_000_000) -> Iterator[pl.DataFrame]:  # noqa: D102
        self.rows = self.bytes_read = 0
        self._read: list[Path] = []
        refused: list[Reject] = []
        digest = hashlib.sha256()
        held: list[tuple[str, bytes]] = []
        size = 0
        for number, file in enumerate(self._files):
            try:
                data = file.read_bytes()
            except OSError as error:
                refused.append((number + 1, None, "bad_header", error.strerror or str(error)))
                continue
            digest.update(f"{file.name}\n{hashlib.sha256(data).hexdigest()}\n".encode())
            held.append((file.stem, data))
            self._read.append(file)
            self.bytes_read += len(data)
            size += len(data)
            if len(held) >= rows or size > _BATCH_BYTES:
                yield self._frame(held)
                held, size = [], 0
        if held:
            yield self._frame(held)
        self._refused = rejects_frame(refused)
        self.sha256 = digest.hexdigest()

    def _frame(self, held: Sequence[tuple[str, bytes]]) -> pl.DataFrame:
        self.rows += len(held)
        return pl.DataFrame(held, schema={"id": pl.String, "record": pl.Binary}, orient="row")

    def rejects(self) -> pl.DataFrame:
        """Return the files that cannot be read; `line` is the file's place among all, from 1."""
        return self._refused

    def lines(self, rows: Sequence[int] | pl.Series) -> list[int]:
        """Return the places of rows among the files, from 1."""
        places = {file: number + 1 for number, file in enumerate(self._files)}
        return [places[self._read[int(row)]] for row in rows]

    def named(self, rejects: pl.DataFrame) -> pl.DataFrame:
        """Return rejects that name their own file, at line 1, instead of a place in the folder."""
        files = [str(self._files[line - 1]) for line in rejects["line"]]
        return rejects.with_columns(
            file=pl.Series(files, dtype=pl.String), line=pl.lit(1, dtype=pl.Int64)
        )
