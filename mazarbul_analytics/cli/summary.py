"""The summary of an import, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mazarbul_analytics.rules.answers import count

__all__ = ["lines"]

_SHOWN = 5
"""So many rejected rows are shown; all of them are in the rejects file."""


def lines(report: Any, *, dry_run: bool = False, rejects: str | None = None) -> list[str]:  # noqa: ANN401
    """Return what an import did: counts, pace, what was ignored, skipped and rejected."""
    return list(_lines(report, dry_run=dry_run, rejects=rejects))


def _lines(report: Any, *, dry_run: bool, rejects: str | None) -> Iterator[str]:  # noqa: ANN401
    if dry_run:
        yield "dry run: nothing was written"
    counts = ("created", "duplicates", "corrected", "removed", "unchanged", "rejected")
    parts = [f"{getattr(report, name):,} {name}" for name in counts if hasattr(report, name)]
    yield f"{report.rows:,} rows: {', '.join(parts)}"
    pace = f", {report.rows / report.seconds:,.0f} rows/s" if report.seconds > 0 else ""
    yield f"{report.seconds:.2f} s{pace}"
    ignored = getattr(report, "ignored_columns", ())
    if ignored:
        yield f"ignored columns: {', '.join(map(str, ignored))}"
    files = getattr(report, "ignored_files", ())
    if files:
        more = f" and {len(files) - _SHOWN:,} more" if len(files) > _SHOWN else ""
        yield f"ignored files: {', '.join(map(str, files[:_SHOWN]))}{more}"
    for file in getattr(report, "skipped", ()):
        yield f"skipped, imported before: {file} (--again applies it anew)"
    conflicts = count(getattr(report, "type_conflicts", 0))
    if conflicts:
        yield f"{conflicts:,} entities keep their type; a differing one was given and not applied"
    lost = count(getattr(report, "lost_digits", 0))
    if lost:
        yield f"{lost:,} instants lost digits beyond microseconds"
    if report.rejected:
        yield from _rejected(report, rejects)


def _rejected(report: Any, rejects: str | None) -> Iterator[str]:  # noqa: ANN401
    for row in report.rejects.head(_SHOWN).iter_rows(named=True):
        column = f", {row['column']}" if row["column"] is not None else ""
        value = "" if row["value"] is None else f" {row['value'][:60]!r}"
        yield f"rejected: {row['file']}, line {row['line']}{column}: {row['reason']}{value}"
    hidden = report.rejected - _SHOWN
    if rejects is not None:
        yield f"all rejected rows: {rejects}"
    elif hidden > 0:
        yield f"and {hidden:,} more (--rejects FILE writes them all)"
