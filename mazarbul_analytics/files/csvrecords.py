"""Where the records of a CSV text begin and end, told as DuckDB's strict reader tells it.

Needed where the reader cannot say: the line of a row, of an open quote; line ends that mix.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from mmap import mmap
from typing import BinaryIO

__all__ = ["OpenQuote", "Records", "count_ends", "mend_line_ends"]

_BLOCK = 1 << 20
# a quoted field before its closing quote: one space may stand before it, and a quote goes on when
# another follows at once (an escaped one) or after spaces, all as DuckDB 2.0.1 reads it
_QUOTED = rb' ?"[^"]*+(?:" *+"[^"]*+)*+'


class OpenQuote(Exception):
    """A quote is never closed; `position` is its byte."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Records:
    """The records of `text` from byte `start` (line `line`) on, fields parted by `delimiter`."""

    def __init__(self, text: mmap | bytes, start: int, line: int, delimiter: bytes) -> None:
        self.text = text
        self.start = start
        self.line = line
        part = re.escape(delimiter)
        field = rb"(?:" + _QUOTED + rb'"|(?! ?"))[^' + part + rb"\n]*+"
        self._whole = re.compile(field + b"(?:" + part + field + rb")*+(?:\n|\Z)")
        self._field = re.compile(field)

    def end(self, position: int) -> int:
        """Return the byte after the record (and its line end) that begins at `position`.

        Raises `OpenQuote` when a quote in it is never closed.
        """
        whole = self._whole.match(self.text, position)
        if whole:
            return whole.end()
        at = position
        while field := self._field.match(self.text, at):  # up to the quote that stays open
            at = field.end() + 1
        raise OpenQuote(self.text.find(b'"', at))

    def after_line_ends(self, position: int) -> int:
        """Return the first byte from `position` on that is no line end."""
        while self.text[position : position + 1] in {b"\n", b"\r"}:
            position += 1
        return position

    def ends(self, start: int, end: int) -> int:
        """Count the lines of the record in `[start, end)`; a last one without line end counts."""
        last = self.text[end - 1 : end] == b"\n"
        if end - start <= _BLOCK:
            return self.text[start:end].count(b"\n") + (not last)
        return count_ends(self.text, start, end) + (not last)

    def count(self) -> int:
        """Count the records (blank lines are none) up to the end; raises `OpenQuote`."""
        records = 0
        for position, ends, plain in self._blocks():
            if plain:
                records += ends
            elif not self._is_blank(position):
                records += 1
        return records

    def places(
        self, rows: Sequence[int], refused: Sequence[int], *, blank: bool = True
    ) -> Iterator[tuple[int, int]]:
        """Yield the line and the first byte of each of the accepted `rows` (sorted, 0-based).

        `refused` are the sorted lines of the records that were not accepted; `blank`: there may be
        blank lines.
        """
        wanted = iter(rows)
        want = next(wanted, None)
        row, line = 0, self.line
        for position, ends, plain in self._blocks(blank=blank):
            first, last = bisect_left(refused, line), bisect_left(refused, line + ends)
            if plain and (want is None or want >= row + ends - (last - first)):
                row += ends - (last - first)
            elif plain:
                starts = self._starts(position, ends)
                skipped = set(refused[first:last])
                for number, start in enumerate(starts, line):
                    if number in skipped:
                        continue
                    if row == want:
                        yield number, start
                        want = next(wanted, None)
                    row += 1
            elif first == last and not self._is_blank(position):
                if row == want:
                    yield line, position
                    want = next(wanted, None)
                row += 1
            line += ends
            if want is None:
                return

    def _starts(self, position: int, lines: int) -> Iterator[int]:
        for _ in range(lines):
            yield position
            position = self.text.find(b"\n", position) + 1

    def _is_blank(self, position: int) -> bool:
        return self.text[position : position + 1] == b"\n" or (
            self.text[position : position + 2] == b"\r\n"
        )

    def _blocks(self, *, blank: bool = True) -> Iterator[tuple[int, int, bool]]:
        """Yield (position, line ends, plain): many one-line records at once, or one record."""
        text, size = self.text, len(self.text)
        at = self.start
        quote = text.find(b'"', at)
        while at < size:
            if 0 <= quote < at:
                quote = text.find(b'"', at)
            stop = size if quote < 0 else text.rfind(b"\n", at, quote) + 1
            stop = min(stop, at + _BLOCK)
            if stop > at and stop < size:
                stop = text.rfind(b"\n", at, stop) + 1
            if stop <= at:  # a quote in this line, or a line longer than a block
                end = self.end(at)
                yield at, self.ends(at, end), False
                at = end
                continue
            block = text[at:stop]
            if blank and _has_blank(block):
                for one in _split(block):
                    yield at, 1, False
                    at += len(one)
            else:
                yield at, _ends(block), True
                at = stop


def count_ends(text: mmap | bytes, start: int, end: int) -> int:
    r"""Count the `\n` in `[start, end)`, block by block."""
    return sum(text[at : min(at + _BLOCK, end)].count(b"\n") for at in range(start, end, _BLOCK))


def _has_blank(block: bytes) -> bool:
    if block.startswith((b"\n", b"\r\n")) or b"\n\n" in block:
        return True
    return b"\r" in block and b"\n\r\n" in block


def _ends(block: bytes) -> int:
    return block.count(b"\n") + (not block.endswith(b"\n"))


def _split(block: bytes) -> list[bytes]:
    parts = block.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def mend_line_ends(text: mmap | bytes, start: int, delimiter: bytes, out: BinaryIO) -> None:
    r"""Copy `text` from `start` on with every line end outside quotes as `\n`.

    Line ends: `\n`, `\r\n` (also `\r\r\n`), a lone `\r`. What stands in quotes is untouched.
    """
    part = re.escape(delimiter)
    token = re.compile(rb"(?<![^\n\r" + part + rb"])(" + _QUOTED + rb'"?)|\r++\n?')
    done = start
    for match in token.finditer(text, start):
        if match[1] is None:
            out.write(text[done : match.start()])
            out.write(b"\n")
            done = match.end()
    while done < len(text):
        out.write(text[done : done + _BLOCK])
        done = min(len(text), done + _BLOCK)
