"""Result tables for people: cells escaped, and what a narrow terminal can do without left out."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mazarbul_analytics.cli.cells import text_cells
from mazarbul_analytics.cli.formats import Rows
from mazarbul_analytics.cli.messages import printable

__all__ = ["render", "upright"]

_GAP = 3
_NARROWEST = 8
"""A column of fewer characters tells nothing: the lines are left to the terminal to break."""

# what a narrow terminal does without, first the first
_DISPENSABLE = (
    "subject_uid",
    "object_uid",
    "source_event_uid",
    "relation_uid",
    "version",
    "superseded_at",
    "scope",
    "recorded_at",
    "subject_type",
    "object_type",
    "attributes",
    "direction",
)


def upright(result: Any) -> Any:  # noqa: ANN401
    """Return a mapping as a table of two columns, for people; all else as it is."""
    if not isinstance(result, Mapping):
        return result
    pairs = dict(_flat(result))
    values = [text_cells(pa.array([value]))[0] for value in pairs.values()]
    return pa.table({"name": list(pairs), "value": pa.array(values, pa.string())})


def _flat(mapping: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in mapping.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def render(rows: Rows, *, width: int | None, colour: bool) -> tuple[str, list[str]]:
    """Return a table for people, and the columns that were left out for want of `width`.

    Without a width every column is there and no line is broken.
    """
    columns: dict[str, list[str]] = {name: [] for name in rows.names()}
    for batch in rows.batches():
        for cells, column in zip(columns.values(), batch.columns, strict=True):
            cells += [printable(text or "").replace("\n", "\\n") for text in text_cells(column)]
    numeric = {
        name
        for name, field in zip(columns, rows.schema, strict=True)
        if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    }
    wide = {
        name: max(Text(line).cell_len for line in (printable(name), *cells))
        for name, cells in columns.items()
    }
    left_out = _left_out(wide, width)
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold"
    )
    shown = [name for name in columns if name not in left_out]
    for name in shown:
        table.add_column(
            Text(printable(name)), justify="right" if name in numeric else "left", overflow="fold"
        )
    for line in zip(*(columns[name] for name in shown), strict=True):
        table.add_row(*map(Text, line))
    needed = sum(wide[name] + _GAP for name in shown)
    if width is None or width < _NARROWEST * len(shown):
        width = needed
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        legacy_windows=False,
    )
    console.print(table, end="")
    lines = [line.rstrip(" ") for line in out.getvalue().split("\n")]
    return "\n".join(lines).strip("\n") + "\n", left_out


def _left_out(wide: dict[str, int], width: int | None) -> list[str]:
    left_out: list[str] = []
    for name in _DISPENSABLE:
        if width is None or sum(n + _GAP for c, n in wide.items() if c not in left_out) <= width:
            break
        if name in wide and len(wide) - len(left_out) > 1:
            left_out.append(name)
    return left_out
