"""What a tool is: its name, what it takes, what it answers, the one call of the store it makes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mazarbul_analytics.mcp.parameters import Parameter, checked, input_schema

if TYPE_CHECKING:
    from mazarbul_analytics import Store

__all__ = ["Answer", "Tool", "answer", "decoded", "whole"]

Schema = dict[str, Any]
Given = Mapping[str, Any]


class Answer(NamedTuple):
    """What a call answers: a text, and the same as a JSON object."""

    text: str
    structured: Schema


@dataclass(frozen=True)
class Tool:
    """A tool; `call` gets the store and the checked arguments, by the names they have in Python.

    `writes` marks those that are neither listed nor run where writing is disabled. `output` is
    called at each listing, since one answer has two forms.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Callable[[], Schema]
    call: Callable[[Store, Given], Answer]
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True

    def input_schema(self) -> Schema:
        """Return the JSON schema of the arguments."""
        return input_schema(self.parameters)

    def run(self, store: Store, arguments: Mapping[str, object]) -> Answer:
        """Check the arguments and make the call. Raises what the check and the store raise."""
        return self.call(store, checked(self.name, self.parameters, arguments))


def answer(text: str) -> Answer:
    """Return an answer whose two forms are one JSON object."""
    return Answer(text, decoded(text))


def decoded(text: str) -> Schema:
    """Return the object of a JSON text; numbers that readers cannot hold stay as their text."""
    found: Schema = json.loads(text, parse_int=whole, parse_float=_real)
    return found


def whole(digits: str) -> int | str:
    """Return a number of a JSON text, or the text where it is too long."""
    try:
        return int(digits)
    except ValueError:  # over 4,300 digits, the interpreter's limit
        return digits


def _real(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text
