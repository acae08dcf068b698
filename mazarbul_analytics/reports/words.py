"""What the faces of a report share: instants, ages and ids in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from mazarbul_analytics.rules import names

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = [
    "DASH",
    "age",
    "counted",
    "headline",
    "instant",
    "listed",
    "namers",
    "plain",
    "scope_note",
]

DASH = "—"
_SHOWN_NAMERS = 5
_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def plain(text: str | None) -> str:
    """Return a text on one line, with what would not show, or would be obeyed, as escapes."""
    if text is None:
        return DASH
    if text.isascii() and text.isprintable():
        return text
    return names.escape_invisible(text.translate(_CONTROLS))


def instant(value: datetime | None) -> str:
    """Return an instant in UTC to the second; the exact one is in the forms for machines."""
    if value is None:
        return DASH
    # a large report writes a hundred thousand: the general way would be most of its time
    return value.isoformat(timespec="seconds")[:19] + "Z"


def age(seconds: int) -> str:
    """Return a length of time in its two largest units: `12 d 4 h`."""
    parts: list[str] = []
    for name, size in _UNITS:
        number, seconds = divmod(seconds, size)
        if number or parts:
            parts.append(f"{number} {name}")
    if len(parts) < 2:  # noqa: PLR2004 - two units tell enough
        parts.append(f"{seconds} s")
    return " ".join(parts[:2])


def namers(ids: Sequence[str]) -> list[str]:
    """Return the records that name an id: the first five, and how many more there are."""
    shown = [plain(i) for i in ids[:_SHOWN_NAMERS]]
    more = len(ids) - len(shown)
    return [*shown, f"and {more} more"] if more else shown


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 hole`, `1,011 holes`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def headline(report: GapReport) -> list[tuple[str, int, str]]:
    """Return the numbers that come first: what is counted, the count, what to know about it."""
    holes = counted(report.holes.num_rows, "run")
    return [
        ("present", report.present, ""),
        ("known missing", report.missing, f"{report.new:,} new"),
        ("closed", report.closed.num_rows, "since the last report"),
        ("in holes", report.hole_ids, holes),
        ("late", report.late.num_rows, "arrived after they were named"),
        ("broken chain", report.continuity.num_rows, "parent digest does not hold"),
    ]


def scope_note(report: GapReport) -> str | None:
    """Return what the list leaves out, None where it is whole."""
    if report.older_than == timedelta(0):
        return None
    listed_ = report.known_missing.num_rows
    least = age(int(report.older_than.total_seconds()))
    return f"listed are those known for at least {least}: {listed_:,} of {report.missing:,}"


def listed(table: Any, most: int | None = None) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401
    """Yield the rows of an Arrow table, the first `most` of them."""
    for batch in (table if most is None else table.slice(0, most)).to_batches():
        yield from batch.to_pylist()
