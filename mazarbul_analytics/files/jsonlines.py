"""JSON lines: one object a line. Numbers, objects and lists stay as they are written there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

import polars as pl

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.sources import (
    SHOWN_VALUE,
    Reject,
    Source,
    aborted,
    number_among,
    rejects_frame,
)
from mazarbul_analytics.files.text import BOM, TextFile, sha256_of
from mazarbul_analytics.rules.columns import resolve

__all__ = ["JsonLinesSource", "parse_line"]

_MAX_LINE = 64 << 20
_BATCH_CHARACTERS = 256 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
# a plain member at once: name, text or number or word, and what follows
_MEMBER = re.compile(
    r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*'
    r'(?:"([^"\\\x00-\x1f]*)"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)'
    r"|(true|false|null))[ \t\n\r]*([,}])"
)
_WORDS = {"true": True, "false": False, "null": None}
_LOOSE = json.JSONDecoder()
Pairs = list[tuple[str, "str | bool | None"]]


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)


_KEYS = json.JSONDecoder(object_pairs_hook=list, parse_int=str)
_FLAT = json.JSONDecoder(
    object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=_no_constant
)


def parse_line(line: str) -> dict[str, str | None]:
    """Return the members of the object in `line` as text.

    A string is its value; a number, an object or a list is the text that stands in the line;
    `true` and `false` are those words; `null` is None. Raises `ValueError` when the line is not
    one JSON object, or names a member twice.
    """
    pairs = _flat(line) if line.count("{") == 1 and "[" not in line else _nested(line)
    members: dict[str, str | None] = {}
    for key, value in pairs:
        members[key] = ("true" if value else "false") if isinstance(value, bool) else value
    if len(members) != len(pairs):
        raise ValueError("a member is named twice")
    return members


def _flat(line: str) -> Pairs:
    pairs = _FLAT.decode(line)
    if not line.lstrip(" \t\r\n").startswith("{"):
        raise ValueError("not an object")
    found: Pairs = pairs
    return found


def _nested(line: str) -> Pairs:
    """Walk the outermost object, so that inner values can be cut out of the line unchanged."""
    at = _skip(line, 0)
    if line[at : at + 1] != "{":
        raise ValueError("not an object")
    at = _skip(line, at + 1)
    pairs: Pairs = []
    more = line[at : at + 1] != "}"
    while more:
        plain = _MEMBER.match(line, at)
        if plain:
            name, text, number, word, after = plain.groups()
            pairs.append((name, text if text is not None else number or _WORDS[word]))
            more = after == ","
            at = plain.end() - (not more)
            continue
        at = _skip(line, at)
        if line[at : at + 1] != '"':
            raise ValueError("a member's name is missing")
        key, at = _LOOSE.raw_decode(line, at)
        at = _skip(line, at)
        if line[at : at + 1] != ":":
            raise ValueError("a colon is missing")
        start = _skip(line, at + 1)
        value, stop = _LOOSE.raw_decode(line, start)
        if isinstance(value, (int, float, dict, list)) and not isinstance(value, bool):
            value = line[start:stop]
            if value in {"NaN", "Infinity", "-Infinity"}:
                raise ValueError(value)
        pairs.append((key, value))
        at = _skip(line, stop)
        more = line[at : at + 1] == ","
        at += more
    if line[at : at + 1] != "}" or _skip(line, at + 1) != len(line):
        raise ValueError("text after the object")
    return pairs


def _skip(line: str, at: int) -> int:
    match = _SPACE.match(line, at)
    return match.end() if match else at


class JsonLinesSource(Source):
    """JSON lines; the columns are the members that any line names. Blank lines are skipped."""

    format = "jsonl"

    def __init__(self, text: TextFile, kind: str, mapping: Mapping[str, str] | None) -> None:
        self._text = text
        text.sha256 = text.sha256 or sha256_of(text.origin)
        names: dict[str, None] = {}
        fault = ""
        for _, raw in self._numbered():
            try:
                names.update(_keys(raw.decode()))
            except (ValueError, RecursionError) as error:
                fault = fault or str(error)
        if not names:
            raise aborted(text.origin, f"holds no JSON object, one a line{self._hint(fault)}")
        try:
            resolution = resolve(list(names), mapping, kind)
        except InvalidValue as error:
            raise aborted(text.origin, str(error)) from error
        super().__init__(text.origin, text.size, text.sha256, resolution)
        self._clear()

    def batches(self, rows: int = 1_000_000) -> Iterator[pl.DataFrame]:  # noqa: D102
        self._clear()
        headers = list(dict.fromkeys(self.resolution.columns.values()))
        cells: list[list[str | None]] = [[] for _ in headers]
        held = characters = place = 0
        rejects: list[Reject] = []
        for number, raw in self._numbered():
            if number > place + 1:
                self._skipped.extend(range(place, number - 1))  # blank lines
            place = number
            members, why = _parsed(raw)
            self.bytes_read = min(self.size, self.bytes_read + len(raw))
            values = None if members is None else [members.get(header) for header in headers]
            reject = None
            if values is None or b"\\u" in raw:
                reject = _reject(number, raw, headers, values, why)
            if reject or values is None:
                rejects.append(reject or (number, None, why, None))
                self._skipped.append(number - 1)
                continue
            for cell, value in zip(cells, values, strict=True):
                cell.append(value)
            held += 1
            characters += len(raw)
            if held == rows or characters > _BATCH_CHARACTERS:
                self.rows += held
                yield _frame(headers, cells)
                cells, held, characters = [[] for _ in headers], 0, 0
        if held:
            self.rows += held
            yield _frame(headers, cells)
        self._rejects = rejects_frame(rejects)
        self.check_unchanged()
        self.bytes_read = self.size

    def rejects(self) -> pl.DataFrame:  # noqa: D102
        return self._rejects

    def lines(self, rows: Sequence[int] | pl.Series) -> list[int]:  # noqa: D102
        return [number_among(int(row), self._skipped) + 1 for row in rows]

    def close(self) -> None:  # noqa: D102
        self._text.close()

    def _clear(self) -> None:
        self.rows = self.bytes_read = 0
        self._rejects = rejects_frame()
        self._skipped: list[int] = []  # 0-based lines that gave no row, sorted

    def _numbered(self) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of the lines that are not blank."""
        with self._text.path.open("rb") as stream:
            number = 0
            while raw := stream.readline(_MAX_LINE + 1):
                number += 1
                if number == 1:
                    while raw.startswith(BOM):
                        raw = raw[len(BOM) :]
                if len(raw) > _MAX_LINE:
                    msg = f"line {number} is longer than 64 MB, the limit"
                    raise aborted(self._text.origin, msg)
                if raw and not raw.isspace():
                    yield number, raw

    def _hint(self, fault: str) -> str:
        with self._text.path.open("rb") as stream:
            head = stream.read(4096).removeprefix(BOM).lstrip()
        if b"\0" in head:
            return "; it looks like UTF-16 without a byte order mark: give its --encoding"
        if head.startswith(b"["):
            return "; it is one JSON array: write it as lines, as `jq -c '.[]'` does"
        return f" ({fault})" if fault else ""


def _keys(line: str) -> dict[str, None]:
    pairs = _KEYS.decode(line)
    if not line.lstrip(" \t\r\n").startswith("{"):
        raise ValueError("not an object")
    return dict.fromkeys(key for key, _ in pairs)


def _parsed(raw: bytes) -> tuple[dict[str, str | None] | None, str]:
    """Return the members of a line, or None and what is wrong with it."""
    try:
        return parse_line(raw.decode()), ""
    except UnicodeDecodeError:
        return None, "bad_encoding"
    except (ValueError, RecursionError):
        return None, "ragged_row"


def _reject(
    number: int,
    raw: bytes,
    headers: Sequence[str],
    values: Sequence[str | None] | None,
    why: str,
) -> Reject | None:
    if values is None:
        shown = raw[: 4 * SHOWN_VALUE].rstrip(b"\r\n").decode("utf-8", "backslashreplace")
        return number, None, why, shown[:SHOWN_VALUE]
    for header, value in zip(headers, values, strict=True):
        if value is not None and not _encodable(value):  # a lone surrogate, `"\\ud800"`
            safe = value.encode("utf-8", "backslashreplace").decode()
            return number, header, "bad_encoding", safe[:SHOWN_VALUE]
    return None


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _frame(headers: Sequence[str], cells: Sequence[Sequence[str | None]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            pl.Series(header, cell, dtype=pl.String)
            for header, cell in zip(headers, cells, strict=True)
        ]
    )
