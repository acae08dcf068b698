"""Arrow columns to text: every type has one spelling, the same in JSON, CSV and tables.

Instants are RFC 3339 in UTC with `Z`, a timestamp without a zone has none; lengths of time are
ISO 8601 durations; bytes are base64 (RFC 4648); lists, structs and maps are JSON. Numbers are
exact; the floats that JSON lacks are `NaN`, `Infinity` and `-Infinity`, as text. Whole columns are
turned, since a call a cell would be most of the time of a large answer; instants are read as whole
numbers, since the engine's years go beyond Python's and have infinities.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyarrow import types

from mazarbul_analytics.rules.answers import attributes, encode

__all__ = ["json_cells", "text_cells"]

Texts = list[str | None]

_quote = json.JSONEncoder(ensure_ascii=False).encode
_NOT_BARE: dict[str | None, str] = {
    None: "null",
    "NaN": '"NaN"',
    "Infinity": '"Infinity"',
    "-Infinity": '"-Infinity"',
}
_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DAY = 86_400
_CYCLE = 146_097
"""Days of 400 years, after which the calendar repeats."""
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_INFINITY = 2**31 - 1
_INFINITY = 2**63 - 1


def text_cells(array: pa.Array) -> Texts:
    """Return a column as text, null as None; nested values are JSON."""
    return _texts(array)[0]


def json_cells(array: pa.Array, *, name: str = "") -> list[str]:
    """Return a column as JSON, null as `null`; a column named `attributes` holds JSON objects."""
    texts, bare = _texts(array)
    if name == "attributes" and not bare:
        return [encode(attributes(text)) for text in texts]
    if bare:
        return [_NOT_BARE.get(text, text or "") for text in texts]
    return ["null" if text is None else _quote(text) for text in texts]


def _texts(array: pa.Array) -> tuple[Texts, bool]:  # noqa: PLR0911 - a line a kind
    """Return the texts of a column, and whether they are JSON as they stand."""
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        if kind.extension_name == "arrow.uuid":
            return _each(str, array.to_pylist()), False
        return _texts(array.storage)
    if types.is_dictionary(kind):
        return _texts(array.dictionary_decode())
    if types.is_null(kind):
        return [None] * len(array), True
    nested = _nested(array)
    if nested is not None:
        valid = array.is_valid().to_pylist()
        return [text if ok else None for text, ok in zip(nested, valid, strict=True)], True
    if types.is_floating(kind):
        return _floats(array), True
    turn = _number(kind)
    if turn is not None:
        return _each(turn, array.to_pylist()), True
    times = _time(array)
    return _plain(array) if times is None else times, False


def _each(turn: Callable[[Any], str], values: list[Any]) -> Texts:
    return [None if value is None else turn(value) for value in values]


def _number(kind: pa.DataType) -> Callable[[Any], str] | None:
    if types.is_boolean(kind):
        return lambda value: "true" if value else "false"
    if types.is_integer(kind):
        return repr
    if types.is_decimal(kind):
        return lambda value: format(value, "f")
    return None


def _floats(array: pa.Array) -> Texts:
    if array.type.bit_width < 64:  # noqa: PLR2004
        # a shorter float has fewer digits than its 64-bit value would show
        return _each(lambda text: _float(float(text)), array.cast(pa.string()).to_pylist())
    return _each(_float, array.to_pylist())


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _nested(array: pa.Array) -> list[str] | None:
    """Return the JSON of lists, structs and maps; None for other types. Nulls come out as any."""
    kind = array.type
    if types.is_struct(kind):
        names = [_quote(field.name) + ":" for field in kind]
        columns = [json_cells(array.field(i)) for i in range(len(names))]
        if not columns:
            return ["{}"] * len(array)
        return [
            "{" + ",".join(map(str.__add__, names, row)) + "}" for row in zip(*columns, strict=True)
        ]
    if types.is_map(kind):
        keys = [_quote(text or "") for text in text_cells(array.keys)]
        pairs = [f"{key}:{item}" for key, item in zip(keys, json_cells(array.items), strict=True)]
        return _runs(array.offsets.to_pylist(), pairs, "{}")
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        array, kind = array.cast(pa.large_list(kind.value_field)), None
    if types.is_fixed_size_list(array.type):
        size = array.type.list_size
        offsets = [(array.offset + i) * size for i in range(len(array) + 1)]
        return _runs(offsets, json_cells(array.values), "[]")
    if types.is_list(array.type) or types.is_large_list(array.type):
        return _runs(array.offsets.to_pylist(), json_cells(array.values), "[]")
    return None


def _runs(offsets: list[int], items: list[str], brackets: str) -> list[str]:
    return [
        brackets[0] + ",".join(items[start:stop]) + brackets[1] for start, stop in pairwise(offsets)
    ]


def _time(array: pa.Array) -> Texts | None:  # noqa: PLR0911 - a line a type
    kind = array.type
    if types.is_timestamp(kind):
        turn = partial(_instant, digits=_UNITS[kind.unit], zone="Z" if kind.tz else "")
        return _each(turn, array.cast(pa.int64()).to_pylist())
    if types.is_date32(kind):
        return _each(_date, array.cast(pa.int32()).to_pylist())
    if types.is_date64(kind):
        return _each(
            lambda value: _date(value // (_DAY * 1000)), array.cast(pa.int64()).to_pylist()
        )
    if types.is_time(kind):
        whole = pa.int32() if types.is_time32(kind) else pa.int64()
        return _each(partial(_clock, digits=_UNITS[kind.unit]), array.cast(whole).to_pylist())
    if types.is_duration(kind):
        scale = 10 ** (9 - _UNITS[kind.unit])
        turn_back = partial(_interval, 0, 0)
        return _each(lambda value: turn_back(value * scale), array.cast(pa.int64()).to_pylist())
    if types.is_interval(kind):
        return _each(lambda value: _interval(*value), array.to_pylist())
    return None


def _plain(array: pa.Array) -> Texts:
    kind = array.type
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return _each(lambda value: base64.b64encode(value).decode("ascii"), array.to_pylist())
    if types.is_binary_view(kind):
        return _plain(array.cast(pa.large_binary()))
    return _each(str, array.to_pylist())


def _fraction(units: int, digits: int) -> str:
    """Return `.123456`, or nothing when zero; nanoseconds only where they are not whole µs."""
    if units == 0:
        return ""
    text = f"{units:0{digits}}".ljust(6, "0") if digits else ""
    return "." + (text[:6] if not text[6:].strip("0") else text)


def _clock(value: int, digits: int) -> str:
    seconds, units = divmod(value, 10**digits)
    hours, rest = divmod(seconds, 3600)
    return f"{hours:02}:{rest // 60:02}:{rest % 60:02}{_fraction(units, digits)}"


@lru_cache(maxsize=65_536)
def _instant(value: int, digits: int, zone: str) -> str:
    if abs(value) == _INFINITY:
        return "infinity" if value > 0 else "-infinity"
    day, rest = divmod(value, _DAY * 10**digits)
    return f"{_date(day)}T{_clock(rest, digits)}{zone}"


def _date(days: int) -> str:
    """Return the date of a day since 1970; years beyond 1 to 9999 carry a sign (ISO 8601)."""
    if abs(days) == _DAY_INFINITY:
        return "infinity" if days > 0 else "-infinity"
    ordinal = days + _EPOCH
    if 1 <= ordinal <= date.max.toordinal():
        return date.fromordinal(ordinal).isoformat()
    cycles, within = divmod(ordinal - 1, _CYCLE)
    found = date.min + timedelta(days=within)
    return f"{found.year + 400 * cycles:+07}{found.isoformat()[4:]}"


def _interval(months: int, days: int, nanoseconds: int) -> str:
    text = "P" + (f"{months}M" if months else "") + (f"{days}D" if days else "")
    if nanoseconds:
        sign, whole = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
        seconds, units = divmod(whole, 10**9)
        text += f"T{sign}{seconds}{_fraction(units, 9)}S"
    return text if text != "P" else "PT0S"
