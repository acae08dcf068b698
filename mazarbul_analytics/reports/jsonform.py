"""A gap report as one JSON object; docs/gap-report.schema.json is its schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from mazarbul_analytics.rules import instants

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["render"]


def render(report: GapReport) -> str:
    """Return the object, without white space; instants are RFC 3339 in UTC, unknown is null."""
    return json.dumps(
        {
            "asOf": report.as_of,
            "present": report.present,
            "knownMissing": _objects(report.known_missing),
            "closed": _objects(report.closed),
            "late": _objects(report.late),
            "holes": _objects(report.holes),
            "continuity": _objects(report.continuity),
        },
        ensure_ascii=False,
        separators=(",", ":"),
        default=instants.format,
    )


def _objects(table: pa.Table) -> list[dict[str, object]]:
    """Return rows as objects; columns of instants are written whole, which is far faster."""
    columns = [_texts(c) if pa.types.is_timestamp(c.type) else c.to_pylist() for c in table.columns]
    keys = [_camel(name) for name in table.column_names]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    # without the zone, which is UTC, no zone database is asked; %S has six digits of fraction
    text = pc.strftime(column.cast(pa.timestamp("us")), "%Y-%m-%dT%H:%M:%SZ")
    return list(pc.replace_substring(text, ".000000Z", "Z").to_pylist())


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)
