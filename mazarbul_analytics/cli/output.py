"""The only writer of stdout: commands hand results over and know nothing of formats.

A file (`-o`) is written beside its place, synced and moved there, so that a reader has the old one
or the new one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import click

from mazarbul_analytics.cli.messages import STDOUT, say

__all__ = ["FORMATS", "Output", "refuse_in_store", "replacing"]

FORMATS = ("table", "json", "jsonl", "csv", "parquet")

_ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".txt": "table",
}


class Output:
    """Where a command's answer goes and in which format.

    `form` is one of `FORMATS` or None; `path` is a file, `-` or None for stdout.
    """

    def __init__(self, form: str | None = None, path: str | None = None) -> None:
        self.path = None if path in {None, "-"} else Path(str(path))
        if self.path is None and sys.stdout is None:
            raise click.ClickException("standard output is closed: name a file with -o FILE")
        self._refuse_place()
        self.form = form or self._default()
        if self.form == "parquet" and self.path is None:
            raise click.UsageError("parquet is no text: name the file to write with -o FILE")

    def _refuse_place(self) -> None:
        """Refuse a file that cannot be made, before any work is done for it."""
        if self.path is None:
            return
        if not self.path.name:
            raise click.UsageError("-o names no file; leave it out to print")
        if not self.path.resolve().parent.is_dir():
            raise click.UsageError(f"no folder for the output: {self.path}; make it first")
        refuse_in_store(self.path)

    def keep_from(self, source: str) -> None:
        """Refuse to write over a file that the command reads."""
        if self.path is not None and self.path.resolve() == Path(source).resolve():
            raise click.UsageError(f"-o would overwrite what is read: {source}; name another file")

    def _default(self) -> str:
        if self.path is not None:
            return _ENDINGS.get(self.path.suffix.lower(), "jsonl")
        return "table" if sys.stdout.isatty() else "jsonl"

    def rows(self, result: Any, *, as_object: Callable[[Any], str] | None = None) -> None:  # noqa: ANN401
        """Write a table, a batch reader, a result that holds a table, or a mapping: one row.

        `as_object` gives the JSON of results for which `--format json` is one object.
        """
        if self.form == "json" and as_object is not None:
            self.text(as_object(result))
            return
        if self.form == "table":
            self._table(result)
            return
        from mazarbul_analytics.cli import formats  # noqa: PLC0415 - imports pyarrow

        rows = formats.rows_of(result)
        with self._sink() as sink:
            if self.form == "parquet":
                formats.write_parquet(rows, sink)
            else:
                for line in formats.WRITERS[self.form](rows):
                    sink.write(line)

    def text(self, text: str) -> None:
        """Write a text, with a line end after it."""
        with self._sink() as sink:
            sink.write(f"{text}\n".encode())

    def blob(self, data: bytes) -> None:
        """Write bytes as they are."""
        with self._sink() as sink:
            sink.write(data)

    def _table(self, result: Any) -> None:  # noqa: ANN401
        from mazarbul_analytics.cli import formats, tableview  # noqa: PLC0415 - imports Rich

        terminal = self.path is None and sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if terminal else None
        colour = terminal and "NO_COLOR" not in os.environ
        rows = formats.rows_of(tableview.upright(result))
        text, left_out = tableview.render(rows, width=width, colour=colour)
        with self._sink() as sink:
            encoding = sys.stdout.encoding if terminal else "utf-8"
            sink.write(text.encode(encoding, errors="replace"))
        if left_out:
            say(f"{len(left_out)} more columns do not fit; --format csv or jsonl has all")

    @contextmanager
    def _sink(self) -> Iterator[BinaryIO]:
        if self.path is not None:
            with replacing(self.path) as sink:
                yield sink
            return
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            if error.filename is None:
                error.filename = STDOUT
            raise


def refuse_in_store(path: Path) -> None:
    """Refuse an output that would lie among the files of the store that the command is about."""
    context = click.get_current_context(silent=True)
    store = None if context is None else getattr(context.obj, "path", None)
    if store is not None:
        from mazarbul_analytics.files.outputs import refuse_inside  # noqa: PLC0415 - loads the engine

        refuse_inside(path, Path(store))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when all went well; else nothing is left.

    A link is followed; what is no regular file (a pipe, /dev/null) is written to directly.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as sink:
            yield sink
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as sink:
            yield sink
            sink.flush()
            os.fsync(sink.fileno())
        if path.exists():
            shutil.copymode(path, beside)
        beside.replace(path)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = str(path)
        raise
