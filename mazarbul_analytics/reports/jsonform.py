"""A gap report as one JSON object; docs/gap-report.schema.json is its schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mazarbul_analytics.answers import encode
from mazarbul_analytics.reports.words import listed

if TYPE_CHECKING:
    from mazarbul_analytics.gaps import GapReport

__all__ = ["render"]


def render(report: GapReport) -> str:
    """Return the object, without white space; instants are RFC 3339 in UTC, unknown is null."""
    return encode(
        {
            "asOf": report.as_of,
            "present": report.present,
            "knownMissing": _objects(report.known_missing),
            "closed": _objects(report.closed),
            "late": _objects(report.late),
            "holes": _objects(report.holes),
            "continuity": _objects(report.continuity),
        }
    )


def _objects(table: Any) -> list[dict[str, object]]:  # noqa: ANN401 - an Arrow table
    keys = {name: _camel(name) for name in table.column_names}
    return [{keys[name]: value for name, value in row.items()} for row in listed(table)]


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)
