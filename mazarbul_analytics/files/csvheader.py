"""The header line of a CSV file, parsed by us: names, delimiter, and where the rows begin."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NamedTuple

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.sources import aborted
from mazarbul_analytics.files.text import BOM

__all__ = ["Header", "check_delimiter", "delimiter_hint", "read_header"]

_MAX_HEADER = 1 << 20
_LINE_END = re.compile(rb"\r\n|\n|\r")
_MARK = re.compile(rb'"|\r\n|\n|\r')
_OTHERS = {";": ";", "|": "|", "\t": r"\t"}


class Header(NamedTuple):
    """`names` in order; `start`, the byte where the rows begin, and `line`, its line number.

    `plain`: the header is the whole first line, so that a reader may skip one line.
    """

    names: list[str]
    delimiter: str
    start: int
    line: int
    plain: bool


def check_delimiter(delimiter: str | None) -> str | None:
    r"""Return the delimiter as one character (`\t` may be spelled out), or raise `InvalidValue`."""
    if delimiter is None:
        return None
    one = {r"\t": "\t", "tab": "\t"}.get(delimiter.lower(), delimiter)
    if len(one) != 1 or not one.isascii() or one in '"\r\n \0':
        msg = (
            f"the delimiter {delimiter!r} is not one ASCII character other than a quote or a space"
        )
        raise InvalidValue(msg, value=delimiter, reason="bad_delimiter")
    return one


def read_header(path: Path, origin: Path, delimiter: str | None) -> Header:
    """Read the header of the UTF-8 text `path`; errors (`ImportAborted`) name `origin`.

    Byte order marks and blank lines before it are skipped. Headers without a name are called
    `column 3` by their place.
    """
    with path.open("rb") as stream:
        head = stream.read(_MAX_HEADER)
    if not head:
        raise aborted(origin, "the file is empty; its first line must name the columns")
    at = 0
    while head.startswith(BOM, at):
        at += len(BOM)
    line, first = 1, at
    while blank := _LINE_END.match(head, at):
        at = blank.end()
        line += 1
    if at == len(head):
        raise aborted(origin, "there is no header; the first line must name the columns")
    stop, after = _end(head, at, origin, line)
    raw = head[at:stop]
    if b"\0" in raw:
        order = "be" if raw[:2:2] == b"\0" else "le"
        hint = f"looks like UTF-16 without a byte order mark: give --encoding utf-16-{order}"
        if b"\0" in raw[:2] and b"\0" in raw[2:4]:
            raise aborted(origin, hint)
        raise aborted(origin, "holds NUL bytes in its first line; is this a text file?")
    try:
        record = raw.decode()
    except UnicodeDecodeError as error:
        msg = f"the header is not UTF-8 ({error.reason}): give the --encoding, perhaps cp1252"
        raise aborted(origin, msg) from error
    chosen = delimiter or _guess(record)
    names = _names(record, chosen, origin, line)
    inner = raw.count(b"\n")
    plain = at == first and not inner and head[stop:after] in {b"\n", b"\r\n", b""}
    return Header(names, chosen, after, line + inner + 1, plain)


def delimiter_hint(header: Header) -> str:
    """Return advice for a file whose single column looks like several of another delimiter."""
    if len(header.names) == 1:
        for mark, spelled in _OTHERS.items():
            if mark in header.names[0]:
                return f"; is the delimiter {spelled!r}? --delimiter {spelled!r} says so"
    return ""


def _end(head: bytes, at: int, origin: Path, line: int) -> tuple[int, int]:
    """Return where the header record ends, without and with its line end."""
    opened = -1
    for match in _MARK.finditer(head, at):
        if match[0] == b'"':
            opened = match.start() if opened < 0 else -1
        elif opened < 0:
            return match.start(), match.end()
    if opened >= 0:
        where = line + head.count(b"\n", at, opened)
        raise aborted(origin, f"a quote opened on line {where}, in the header, is never closed")
    if len(head) == _MAX_HEADER:
        raise aborted(origin, "the header line is longer than 1 MB; is this a text file?")
    return len(head), len(head)


def _guess(record: str) -> str:
    bare = re.sub(r'"[^"]*"', "", record)
    return "\t" if "\t" in bare and "," not in bare else ","


def _names(record: str, delimiter: str, origin: Path, line: int) -> list[str]:
    try:
        cells = next(csv.reader([record], delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise aborted(origin, f"the header on line {line} cannot be read ({error})") from error
    taken = set(cells)
    names: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = cell
        if not cell.strip():
            name = f"column {place}"
            while name in taken:
                name += "'"
            taken.add(name)
        names.append(name)
    return names
