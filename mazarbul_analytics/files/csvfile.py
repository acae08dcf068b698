"""CSV: dialect and columns are pinned by us, DuckDB reads, what it refuses is named by line.

Why these options (measured on hard inputs, DuckDB 2.0.1): columns are pinned since sniffing takes
rows for a preamble; one thread, since parallel chunks make rows out of quoted line ends; strict,
since the lenient mode merges rows; all columns are read, since bad UTF-8 shows only there; and one
column more, with nulls for what a row lacks, since it drops an empty field too many in silence.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from mmap import ACCESS_READ, mmap
from secrets import token_hex

import duckdb
import polars as pl
import pyarrow as pa

from mazarbul_analytics.engine import bare
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.csvheader import check_delimiter, delimiter_hint, read_header
from mazarbul_analytics.files.csvrecords import OpenQuote, Records, count_ends, mend_line_ends
from mazarbul_analytics.files.sources import (
    SHOWN_VALUE,
    Reject,
    Source,
    aborted,
    gathered,
    rejects_frame,
)
from mazarbul_analytics.files.text import TextFile, hash_and_count, line_ends, spool
from mazarbul_analytics.rules.columns import resolve

__all__ = ["MAX_LINE", "CsvSource"]

MAX_LINE = 64 << 20  # bytes of one record
_MIN_BUFFER = 1 << 16
_READ_ROWS = 1 << 16
# DuckDB holds on to the buffers of a file until a limit makes it let go; rows of MBs need more
_MEMORY_LIMITS = ("384MB", "80%")

# DuckDB's name of an error -> ours, the worst first: a record is rejected once
_REASONS = {
    "UNQUOTED VALUE": "bad_quote",
    "INVALID STATE": "bad_quote",
    "INVALID ENCODING": "bad_encoding",
    "MISSING COLUMNS": "ragged_row",
    "TOO MANY COLUMNS": "ragged_row",
}
_RANK = {"bad_quote": 0, "bad_encoding": 1, "ragged_row": 2}
_TOO_LONG = "LINE SIZE OVER MAXIMUM"

_SCAN = """
select * from read_csv(
    $path, columns = {columns}, delim = $delimiter, skip = $skip, {new_line}
    quote = '"', escape = '"', comment = '', nullstr = $never, allow_quoted_nulls = false,
    header = false, auto_detect = false, strict_mode = true, null_padding = true,
    parallel = false, store_rejects = true, rejects_limit = 0, hive_partitioning = false,
    compression = 'none', encoding = 'utf-8', max_line_size = $buffer, buffer_size = $buffer)
"""
# DuckDB counts bytes from 1; its own line numbers drift after quoted line ends
_REJECTED = """
select line_byte_position - 1, byte_position - line_byte_position, column_name, error_type
from reject_errors order by line_byte_position, byte_position
"""


class CsvSource(Source):
    """Comma-separated text: the first line that is not blank holds the headers."""

    format = "csv"

    def __init__(
        self,
        text: TextFile,
        kind: str,
        mapping: Mapping[str, str] | None,
        delimiter: str | None = None,
    ) -> None:
        self._text = text
        self._header = header = read_header(text.path, text.origin, check_delimiter(delimiter))
        try:
            resolution = resolve(header.names, mapping, kind)
        except InvalidValue as error:
            raise aborted(text.origin, f"{error}{delimiter_hint(header)}") from error
        ends = hash_and_count(text)
        super().__init__(text.origin, text.size, text.sha256, resolution)
        self._start, self._skip = header.start, 1
        self._crlf = ends.cr > 0
        lines_before = header.line - 1
        if not header.plain or (ends.cr and not ends.lf == ends.cr == ends.crlf):
            self._mend()
            ends, lines_before = line_ends(text.path), 0
        self._surplus = " ".join(header.names) + "+"  # a name that no header has
        self._quotes = ends.quotes
        self._total = ends.lines - lines_before  # physical lines after the header
        self._clear()

    def batches(self, rows: int = 1_000_000) -> Iterator[pl.DataFrame]:  # noqa: D102
        self._clear()
        wanted = list(dict.fromkeys(self.resolution.columns.values()))
        seen = 0
        for frame in gathered(self._scan(), rows):
            batch = self._even(frame)
            seen += batch.height + (_inner_ends(batch) if self._quotes else 0)
            self.rows += batch.height
            self.bytes_read = min(self.size, self.size * seen // max(1, self._total))
            if batch.height:
                yield batch.select(wanted)
        self._place_ragged()
        self._check_whole(seen)
        self.check_unchanged()
        self.bytes_read = self.size

    def rejects(self) -> pl.DataFrame:  # noqa: D102
        return self._rejects

    def lines(self, rows: Sequence[int] | pl.Series) -> list[int]:  # noqa: D102
        wanted = [int(row) for row in rows]
        order = sorted(set(wanted))
        with self._records() as records:
            places = records.places(order, self._refused, blank=self._blank)
            found = {row: line for row, (line, _) in zip(order, places, strict=True)}
        return [found[row] for row in wanted]

    def close(self) -> None:  # noqa: D102
        self._text.close()

    def _clear(self) -> None:
        self.rows = self.bytes_read = 0
        self._rejects = rejects_frame()
        self._scanned = 0
        self._ragged: list[int] = []  # among the rows scanned
        self._refused: list[int] = []  # lines of refused records, sorted
        self._refused_ends = 0
        self._blank = True  # there may be blank lines

    def _mend(self) -> None:
        """Go on with a copy of the rows with one kind of line end: the reader refuses a mix."""
        with spool() as (copy, out), self._records() as records:
            mend_line_ends(records.text, self._start, self._header.delimiter.encode(), out)
        self._text.move_to(copy)
        self._start = self._skip = 0
        self._crlf = False

    @contextmanager
    def _records(self) -> Iterator[Records]:
        """Open the text for a pass of our own; an open quote met there is `ImportAborted`."""
        place = (self._start, self._header.line, self._header.delimiter.encode())
        path = self._text.path
        with path.open("rb") as stream, ExitStack() as stack:
            data: mmap | bytes = b""  # an empty file cannot be mapped
            if path.stat().st_size:
                data = stack.enter_context(mmap(stream.fileno(), 0, access=ACCESS_READ))
            try:
                yield Records(data, *place)
            except OpenQuote as error:
                line = self._header.line + count_ends(data, self._start, error.position)
                msg = f"a quote opened on line {line} is never closed; it swallows the file's rest"
                raise aborted(self.path, msg) from None

    def _scan(self) -> Iterator[pa.RecordBatch]:
        """Yield what DuckDB reads, ragged rows too; begins again with more memory for huge rows."""
        if self._total == 0:
            return
        done = 0
        for limit in _MEMORY_LIMITS:
            skip = done
            with bare.start() as connection:
                try:
                    for part in self._read(connection, limit):
                        fresh = part.slice(min(skip, part.num_rows))
                        skip -= part.num_rows - fresh.num_rows
                        done += fresh.num_rows
                        yield fresh
                    self._take_rejects(connection)
                except (duckdb.Error, pa.ArrowException, OSError) as error:
                    if "Out of Memory" in str(error) and limit != _MEMORY_LIMITS[-1]:
                        continue
                    raise aborted(self.path, f"cannot be read ({str(error)[:300]})") from error
                return

    def _read(self, connection: duckdb.DuckDBPyConnection, limit: str) -> Iterator[pa.RecordBatch]:
        connection.execute("set memory_limit = $limit", {"limit": limit})
        connection.execute("set temp_directory = $folder", {"folder": tempfile.gettempdir()})
        # plain Arrow text ends at 2 GB a batch, and views are cheaper to hand to Polars
        connection.execute("set produce_arrow_string_view = true")
        width = len(self._header.names)
        size = self._text.path.stat().st_size
        scan = _SCAN.format(
            columns="{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width + 1)) + "}",
            # '\r\n' given by name reads nothing (DuckDB 2.0.1); told from the header line it works
            new_line="" if self._crlf else r"new_line = '\n',",
        )
        values = {
            "path": re.sub(r"([\[*?])", r"[\1]", str(self._text.path)),
            "delimiter": self._header.delimiter,
            "skip": self._skip,
            "never": token_hex(16),
            "buffer": max(_MIN_BUFFER, min(MAX_LINE, size + 1)),
        }
        for part in connection.sql(scan, params=values).to_arrow_reader(_READ_ROWS):
            yield part.rename_columns([*self._header.names, self._surplus])

    def _even(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows that have as many fields as the header, and note the others."""
        last, surplus = frame[self._header.names[-1]], frame[self._surplus]
        if last.null_count() or surplus.null_count() != frame.height:
            ragged = last.is_null() | surplus.is_not_null()
            self._ragged.extend((ragged.arg_true() + self._scanned).to_list())
            self._scanned += frame.height
            return frame.filter(~ragged).drop(self._surplus)
        self._scanned += frame.height
        return frame.drop(self._surplus)

    def _take_rejects(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Turn what DuckDB refused into one reject a record, with its physical line."""
        found = connection.execute(_REJECTED)
        parts: list[pl.DataFrame] = []
        kept: list[Reject] = []
        line, counted, last = self._header.line, self._start, -1
        with self._records() as records:
            while group := found.fetchmany(_READ_ROWS):
                for place, reach, column, error in group:
                    start = records.after_line_ends(place)  # it may begin at the end before it
                    line += count_ends(records.text, counted, start)
                    counted = start
                    if error == _TOO_LONG or (reach or 0) > MAX_LINE:
                        records.end(start)  # perhaps for a quote that is never closed
                        msg = f"the record on line {line} is longer than 64 MB, the limit"
                        raise aborted(self.path, msg)
                    reason = _REASONS.get(error, "ragged_row")
                    named = None
                    if column and reason != "ragged_row":
                        named = [*self._header.names, None][int(column[1:])]
                    if start == last:
                        if _RANK[reason] < _RANK[kept[-1][2]]:
                            kept[-1] = (line, named, reason, kept[-1][3])
                        continue
                    last = start
                    if len(kept) == _READ_ROWS:
                        parts.append(rejects_frame(kept))
                        kept = []
                    kept.append((line, named, reason, self._raw(records, start)))
                    self._refused.append(line)
        self._rejects = pl.concat([*parts, rejects_frame(kept)])

    def _place_ragged(self) -> None:
        """Find the lines of the ragged rows: they join the rejects."""
        if not self._ragged:
            return
        parts = [self._rejects]
        with self._records() as records:
            places = records.places(self._ragged, self._refused)
            while group := list(islice(places, _READ_ROWS)):
                rejects = [
                    (line, None, "ragged_row", self._raw(records, start)) for line, start in group
                ]
                parts.append(rejects_frame(rejects))
        self._rejects = pl.concat(parts).sort("line")
        self._refused = self._rejects["line"].to_list()

    def _raw(self, records: Records, start: int) -> str:
        """Return the first characters of a refused record, and count its line ends."""
        end = records.end(start)
        self._refused_ends += records.ends(start, end)
        raw = records.text[start : min(end, start + 4 * SHOWN_VALUE)].rstrip(b"\r\n")
        return raw.decode("utf-8", "backslashreplace")[:SHOWN_VALUE]

    def _check_whole(self, seen: int) -> None:
        """Hold what came out to the lines of the file: the reader may swallow none in silence."""
        if seen + self._refused_ends == self._total:
            self._blank = False
            return
        with self._records() as records:
            count = records.count()
        if count != self.rows + len(self._refused):
            msg = (
                f"holds {count} records, but {self.rows} were read and {len(self._refused)} "
                f"refused; nothing was imported"
            )
            raise aborted(self.path, msg)


def _inner_ends(frame: pl.DataFrame) -> int:
    """Count the line ends inside the fields of `frame`."""
    found = frame.select(pl.all().str.count_matches("\n", literal=True).sum())
    return sum(int(count or 0) for count in found.row(0))
