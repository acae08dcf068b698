"""A gap report as plain text, for a terminal or a mail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mazarbul_analytics.reports.words import (
    DASH,
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


def render(report: GapReport) -> str:
    """Return the headline numbers, then a section for each kind of gap that there is."""
    return "\n".join(_lines(report))


def _lines(report: GapReport) -> Iterator[str]:
    yield f"gap report as of {instant(report.as_of)}"
    for name, count, note in headline(report):
        yield f"  {count:>9,} {name}{f' ({note})' if note and count else ''}"
    yield from _missing(report)
    yield from _closed(report)
    yield from _late(report)
    yield from _holes(report)
    yield from _continuity(report)


def _missing(report: GapReport) -> Iterator[str]:
    note = scope_note(report)
    yield ""
    yield f"known missing ({report.known_missing.num_rows:,}){f': {note}' if note else ''}"
    if not report.known_missing.num_rows:
        yield f"  {DASH}"
    for row in listed(report.known_missing):
        mark = "  new" if row["is_new"] else ""
        yield f"  {plain(row['relay_id'])}{mark}"
        yield (
            f"      named by {' '.join(namers(row['named_by']))}, "
            f"first {instant(row['first_named_at'])}, {age(row['age_seconds'])} ago"
        )
        if row["previous_present"] or row["next_present"]:
            yield (
                f"      between {plain(row['previous_present'])} and {plain(row['next_present'])}, "
                f"deposited {instant(row['issued_after'])} and {instant(row['issued_before'])}"
            )


def _closed(report: GapReport) -> Iterator[str]:
    if report.closed.num_rows:
        yield ""
        yield f"closed since the last report ({report.closed.num_rows:,})"
    for row in listed(report.closed):
        yield (
            f"  {plain(row['relay_id'])}  deposited {instant(row['deposited_at'])}, "
            f"first named {instant(row['first_named_at'])}"
        )


def _late(report: GapReport) -> Iterator[str]:
    if report.late.num_rows:
        yield ""
        yield f"late: arrived after they were first named ({report.late.num_rows:,})"
    for row in listed(report.late):
        yield (
            f"  {plain(row['relay_id'])}  {age(row['delay_seconds'])} late: first named "
            f"{instant(row['first_named_at'])}, deposited {instant(row['deposited_at'])}"
        )


def _holes(report: GapReport) -> Iterator[str]:
    if report.holes.num_rows:
        yield ""
        runs = counted(report.holes.num_rows, "run")
        yield f"holes: neither present nor named ({counted(report.hole_ids, 'id')} in {runs})"
    for row in listed(report.holes):
        whole = row["first"] if row["count"] == 1 else f"{row['first']} to {row['last']}"
        yield f"  {plain(whole)}  {counted(row['count'], 'id')}"


def _continuity(report: GapReport) -> Iterator[str]:
    if report.continuity.num_rows:
        yield ""
        yield f"parent digests that do not hold ({report.continuity.num_rows:,})"
    for row in listed(report.continuity):
        yield f"  {plain(row['relay_id'])}  {row['continuity']}, parent {plain(row['parent'])}"
        yield f"      claimed {plain(row['claimed'])}"
        yield f"      held    {plain(row['held'])}"
