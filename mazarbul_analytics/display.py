"""How answers show themselves in a notebook: small HTML tables, invisible characters escaped."""

from __future__ import annotations

from datetime import datetime
from html import escape

import pyarrow as pa

from mazarbul_analytics.rules import instants, names

__all__ = ["html_table", "shown"]

MOST_ROWS = 60


def shown(value: object) -> str:
    """Return a cell as text: instants as RFC 3339 UTC, null as nothing."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return instants.format(value) or ""
    return names.escape_invisible(str(value))


def html_table(table: pa.Table, caption: str) -> str:
    """Return a table as HTML: a caption, a head, at most 60 rows."""
    head = "".join(f"<th>{escape(c)}</th>" for c in table.column_names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(v))}</td>" for v in row.values()) + "</tr>"
        for row in table.slice(0, MOST_ROWS).to_pylist()
    )
    more = table.num_rows - MOST_ROWS
    foot = f"<p>and {more} more rows</p>" if more > 0 else ""
    return (
        f"<table><caption>{escape(names.escape_invisible(caption))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{foot}"
    )
