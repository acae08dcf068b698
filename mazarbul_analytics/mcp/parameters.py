"""The arguments of the tools: declared once, for the schema that agents read and for the check.

The SDK's own validation answers with a protocol error; an agent learns more from a tool error that
names the value and the mend.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.names import SCOPES, shown

__all__ = [
    "AS_OF",
    "AT",
    "ENTITY",
    "PREDICATES",
    "RELAY_ID",
    "SCOPE",
    "SCOPES_READ",
    "Parameter",
    "checked",
    "input_schema",
    "limit",
    "told",
]


MOST = 2**31 - 1


@dataclass(frozen=True)
class Parameter:
    """One argument: `name` as agents write it, `keyword` as the call of the store has it.

    `kind` is text, texts (a list), whole (a number, at least 1) or flag. `choices` are told to
    agents; the store refuses others.
    """

    name: str
    keyword: str
    description: str
    kind: str = "text"
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        text: dict[str, Any] = {"type": "string"}
        if self.choices:
            text["enum"] = list(self.choices)
        forms: dict[str, dict[str, Any]] = {
            "text": text,
            "texts": {"type": "array", "items": text},
            "whole": {"type": "integer", "minimum": 1},
            "flag": {"type": "boolean"},
        }
        default = {} if self.default is None else {"default": self.default}
        return {**forms[self.kind], "description": self.description, **default}

    def value(self, given: object) -> object:
        """Return a given value as the store takes it. Raises `InvalidValue` for another type."""
        if self.kind == "text" and isinstance(given, str):
            return given
        if self.kind == "flag" and isinstance(given, bool):
            return given
        if self.kind == "texts" and isinstance(given, list):
            if all(isinstance(item, str) for item in given):
                return given or self.default
        elif self.kind == "whole" and isinstance(given, (int, float)):
            whole = not isinstance(given, bool) and given >= 1 and given == given // 1
            if whole:
                return min(
                    int(given), MOST
                )  # no store holds more, and the engine counts no further
        raise InvalidValue(
            f"{self.name} is {_FORMS[self.kind]}: {told(given)}", value=given, reason="bad_value"
        )


_FORMS = {
    "text": "a text",
    "texts": 'a list of texts, as in ["works_at"]',
    "whole": "a whole number, at least 1",
    "flag": "true or false",
}


def told(given: object) -> str:
    """Write a given value for an error message: a text quoted, others as the JSON they came in."""
    return shown(given) if isinstance(given, str) else shown(json.dumps(given))[1:-1]


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {p.name: p.schema() for p in parameters},
        "required": [p.name for p in parameters if p.required],
        "additionalProperties": False,
    }


def checked(
    tool: str, parameters: Sequence[Parameter], arguments: Mapping[str, object]
) -> dict[str, Any]:
    """Return the arguments by their Python names, defaults filled in; null means not given.

    Raises `InvalidValue` for an unknown or missing argument and for a value of another type.
    """
    known = {p.name: p for p in parameters}
    for name in arguments:
        if name not in known:
            raise InvalidValue(_unknown(tool, name, list(known)), value=name, reason="bad_argument")
    values: dict[str, Any] = {}
    for name, parameter in known.items():
        given = arguments.get(name)
        if given is None and parameter.required:
            raise InvalidValue(
                f"{tool} needs {name}: {parameter.description}",
                value=name,
                reason="missing_value",
            )
        values[parameter.keyword] = parameter.default if given is None else parameter.value(given)
    return values


def _unknown(tool: str, name: str, known: list[str]) -> str:
    plain = {k.lower(): k for k in known}
    near = difflib.get_close_matches(name.replace("_", "").lower(), plain, n=1)
    guess = f"; {plain[near[0]]} is meant?" if near else ""
    return f"{tool} takes no {shown(name)}{guess}\nIt takes {', '.join(known) or 'no arguments'}."


ENTITY = Parameter(
    "entity",
    "entity",
    "entities/{uid}, a bare uid, or the display name in any case.",
    required=True,
)
AT = Parameter(
    "at",
    "at",
    "Ask what held in the world at this instant (valid time), RFC 3339 UTC like "
    "2024-03-01T12:00:00Z, or a date. Default: now.",
)
AS_OF = Parameter(
    "asOf",
    "as_of",
    "Ask what was known at this instant (transaction time), RFC 3339 UTC: all that was recorded "
    "later is hidden, also that something ended. Default: all that is recorded.",
)
PREDICATES = Parameter(
    "predicates", "predicates", "Only these relations, as in works_at. Default: all.", "texts"
)
SCOPES_READ = Parameter(
    "scopes",
    "scopes",
    "Which scopes to read: project, personal, team.",
    "texts",
    default=["project", "personal"],
    choices=SCOPES,
)
SCOPE = Parameter("scope", "scope", "The scope of the relation.", default="project", choices=SCOPES)
RELAY_ID = Parameter("id", "relay_id", "The relay's id, like relay-0733.", required=True)


def limit(what: str) -> Parameter:
    """Return the parameter that cuts a list of `what`."""
    words = f"At most so many {what}; the answer says how many there are in all."
    return Parameter("limit", "limit", words, "whole", default=50)
