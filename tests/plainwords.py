"""Names and attributes as the model compares them: the rules of their forms, in plain Python."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

__all__ = [
    "attributes_of",
    "json_value",
    "name_fault",
    "name_key",
    "normal_name",
    "normal_predicate",
]

# --- names (docs/guarantees.md, Names) ------------------------------------------------------------

# the property White_Space of Unicode, which str.isspace() widens by U+001C to U+001F
_WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
_WHITE += "\u2028\u2029\u202f\u205f\u3000"
_WHITE_RUN = re.compile(f"[{_WHITE}]+")
_JOINED_RUN = re.compile(f"[{_WHITE}-]+")


def normal_name(text: str) -> str:
    """NFC, each run of white space one space, trimmed."""
    return _WHITE_RUN.sub(" ", unicodedata.normalize("NFC", text)).strip(" ")


def name_key(text: str) -> str:
    """Give what two spellings of one name have in common."""
    folded = unicodedata.normalize("NFC", normal_name(text)).casefold()
    return unicodedata.normalize("NFC", folded)


def normal_predicate(text: str) -> str:
    """Give the form in which a predicate is stored, filtered and grouped."""
    return _JOINED_RUN.sub("_", name_key(text))


def name_fault(text: str, limit: int = 200) -> str | None:
    """Say why `text` is no name, or None."""
    name = normal_name(text)
    if all(unicodedata.category(c) == "Cf" or c == " " for c in name):
        return "empty_name"
    if len(name) > limit:
        return "name_too_long"
    if any(unicodedata.category(c) == "Cc" for c in name):
        return "bad_character"
    return None


# --- attributes --------------------------------------------------------------------------------


def json_value(value: object) -> Any:
    """Put a JSON value in a form that compares as JSON does: 1 is 1.0 and is not true."""
    if isinstance(value, str):
        return ("text", value)
    if value is None or isinstance(value, bool):
        return ("word", str(value))
    if isinstance(value, int | float | Decimal):
        return ("number", Decimal(str(value)).normalize())
    if isinstance(value, Mapping):
        return ("object", tuple(sorted((k, json_value(v)) for k, v in value.items())))
    if isinstance(value, Sequence):
        return ("array", tuple(json_value(v) for v in value))
    raise TypeError(value)


def attributes_of(value: str | Mapping[str, object] | None) -> Any:
    """Put attributes in the form in which they compare; `{}` is none."""
    if isinstance(value, str):
        value = json.loads(value, parse_float=Decimal)
    return json_value(value) if value else None
