"""A gap report as Markdown (with tables as GitHub writes them), for a mail or an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mazarbul_analytics.reports.words import (
    age,
    counted,
    headline,
    instant,
    listed,
    namers,
    plain,
    scope_note,
)

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["render"]

MOST_ROWS = 1_000
"""So many rows of a table are written; how many more there are is said below it."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def render(report: GapReport) -> str:
    """Return the headline numbers, then a section with a table for each kind of gap there is."""
    return "\n".join(_lines(report))


def _lines(report: GapReport) -> Iterator[str]:
    yield f"# Gap report, {instant(report.as_of)}"
    yield ""
    yield from _table(
        ("", "count", ""),
        ((name, f"**{count:,}**", note if count else "") for name, count, note in headline(report)),
        ("---", "---:", "---"),
    )
    yield from _missing(report)
    yield from _section(
        f"Closed since the last report ({report.closed.num_rows:,})",
        ("relay", "first named", "deposited"),
        (
            (_text(r["relay_id"]), instant(r["first_named_at"]), instant(r["deposited_at"]))
            for r in listed(report.closed, MOST_ROWS)
        ),
        report.closed.num_rows,
    )
    yield from _section(
        f"Late ({report.late.num_rows:,})",
        ("relay", "delay", "first named", "deposited"),
        (
            (
                _text(r["relay_id"]),
                age(r["delay_seconds"]),
                instant(r["first_named_at"]),
                instant(r["deposited_at"]),
            )
            for r in listed(report.late, MOST_ROWS)
        ),
        report.late.num_rows,
    )
    yield from _section(
        f"Holes ({counted(report.hole_ids, 'id')} in {counted(report.holes.num_rows, 'run')})",
        ("first", "last", "ids"),
        (
            (_text(r["first"]), _text(r["last"]), f"{r['count']:,}")
            for r in listed(report.holes, MOST_ROWS)
        ),
        report.holes.num_rows,
    )
    yield from _section(
        f"Parent digests that do not hold ({report.continuity.num_rows:,})",
        ("relay", "parent", "continuity", "claimed", "held"),
        (
            tuple(_text(r[c]) for c in ("relay_id", "parent", "continuity", "claimed", "held"))
            for r in listed(report.continuity, MOST_ROWS)
        ),
        report.continuity.num_rows,
    )


def _missing(report: GapReport) -> Iterator[str]:
    yield ""
    yield f"## Known missing ({report.known_missing.num_rows:,})"
    yield ""
    note = scope_note(report)
    if note:
        yield f"{note[0].upper()}{note[1:]}."
        yield ""
    if not report.known_missing.num_rows:
        yield "None."
        return
    yield from _table(
        ("relay", "", "named by", "first named", "age", "between", "deposited"),
        (
            (
                _text(r["relay_id"]),
                "**new**" if r["is_new"] else "",
                " ".join(map(_text, namers(r["named_by"]))),
                instant(r["first_named_at"]),
                age(r["age_seconds"]),
                f"{_text(r['previous_present'])} and {_text(r['next_present'])}",
                f"{instant(r['issued_after'])} and {instant(r['issued_before'])}",
            )
            for r in listed(report.known_missing, MOST_ROWS)
        ),
    )
    yield from _cut(report.known_missing.num_rows)


def _section(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], number: int
) -> Iterator[str]:
    if not number:
        return
    yield ""
    yield f"## {title}"
    yield ""
    yield from _table(heads, rows)
    yield from _cut(number)


def _cut(number: int) -> Iterator[str]:
    if number > MOST_ROWS:
        yield ""
        yield f"And {number - MOST_ROWS:,} more: `mazarbul gaps --format json` lists all."


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], rule: Sequence[str] | None = None
) -> Iterator[str]:
    yield _row(heads)
    yield _row(rule or ["---"] * len(heads))
    for cells in rows:
        yield _row(cells)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(value: str | None) -> str:
    return _SPECIAL.sub(r"\\\1", plain(value))
