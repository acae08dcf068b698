"""Attributes of a relation: one JSON object, kept as text in one canonical spelling.

Two objects are the same value exactly when their canonical texts are equal: keys sorted by code
point, no white space, every number in one spelling. Numbers never pass through a float, so integers
above 2^53 and decimals of any length stay exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from typing import NoReturn

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.names import shown

__all__ = ["NESTING_LIMIT", "canonical"]

NESTING_LIMIT = 100

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
# within these a number is written out, beyond them with an exponent; by its value, not its spelling
_MOST_TRAILING_ZEROS = 1000
_MOST_LEADING_ZEROS = 6


class _Number(str):
    """A number of a JSON text, already in its canonical spelling."""

    __slots__ = ()


class _RefusedError(ValueError):
    """Why a text is not accepted, in words that follow its value."""


def _number(literal: str) -> _Number:
    found = _NUMBER.fullmatch(literal)
    if found is None:
        raise _RefusedError(f"holds {literal}, which is no JSON number")
    sign, whole, fraction, exponent = found[1], found[2], found[3] or "", found[4] or "0"
    try:
        power = int(exponent) - len(fraction)
    except ValueError as error:  # Python reads no integer of more than 4,300 digits
        raise _RefusedError("holds a number with too long an exponent") from error
    digits = (whole + fraction).lstrip("0")
    stripped = digits.rstrip("0")
    power += len(digits) - len(stripped)
    if not stripped:
        return _Number("0")
    point = len(stripped) + power  # where the point stands, counted from the first digit
    if 0 <= power <= _MOST_TRAILING_ZEROS:
        text = stripped + "0" * power
    elif power < 0 < point:
        text = f"{stripped[:point]}.{stripped[point:]}"
    elif power < 0 and -_MOST_LEADING_ZEROS < point <= 0:
        text = f"0.{'0' * -point}{stripped}"
    else:
        rest = f".{stripped[1:]}" if len(stripped) > 1 else ""
        text = f"{stripped[0]}{rest}e{point - 1}"
    return _Number(sign + text)


def _constant(word: str) -> NoReturn:
    raise _RefusedError(f"holds {word}, which is no JSON number")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RefusedError(f"names the key {shown(key)} twice")
            seen.add(key)
    return found


_decode = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_number, parse_float=_number, parse_constant=_constant
).decode
_quote = json.JSONEncoder(ensure_ascii=False).encode


def _scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, _Number):
        return str.__str__(value)
    if isinstance(value, str):
        return _quote(str(value))
    if isinstance(value, Integral):
        # by way of Decimal: str(int) stops at 4,300 digits
        return _number(format(Decimal(int(value)), "f"))
    if isinstance(value, float | Decimal):
        return _number(float.__repr__(value) if isinstance(value, float) else str(value))
    raise _RefusedError(f"holds a {type(value).__name__}, which JSON has no form for")


def _write(value: object, depth: int) -> str:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Mapping | Sequence):
        return _scalar(value)
    if depth > NESTING_LIMIT:
        raise _RefusedError(f"is nested more than {NESTING_LIMIT} deep")
    if not isinstance(value, Mapping):
        return "[" + ",".join(_write(item, depth + 1) for item in value) + "]"
    for key in value:
        if not isinstance(key, str):
            raise _RefusedError(f"has the key {shown(key)}, which is no text")
    items = (f"{_quote(str(k))}:{_write(value[k], depth + 1)}" for k in sorted(value))
    return "{" + ",".join(items) + "}"


def canonical(text: str | Mapping[str, object]) -> str:
    """Return the canonical JSON text of an object given as JSON text or as a mapping.

    Keys are sorted by code point, without white space, and nothing is escaped that need not be;
    `1.0` and `1e0` are `1`, `-0` is `0`, integers and decimals keep all their digits. `{}` stays
    `{}`.

    Raises InvalidValue with the reason `bad_attributes`: no object, a key named twice, NaN or
    Infinity, half of a surrogate pair, or more than 100 levels of nesting.
    """
    try:
        value = _decode(text) if isinstance(text, str) else text
        if not isinstance(value, Mapping):
            raise _RefusedError("is no JSON object")  # noqa: TRY301
        found = _write(value, 1)
        found.encode()
    except json.JSONDecodeError as error:
        why = f"is no JSON: {error.msg} at character {error.pos + 1}"
    except _RefusedError as error:
        why = str(error)
    except RecursionError:
        why = f"is nested more than {NESTING_LIMIT} deep"
    except UnicodeEncodeError:
        why = "holds half of a surrogate pair, which is no character"
    else:
        return found
    raise InvalidValue(
        f'The attributes {shown(text)}: this {why}. Give an object like {{"role": "dev"}}',
        value=text,
        reason="bad_attributes",
    )
