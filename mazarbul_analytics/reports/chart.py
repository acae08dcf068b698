"""A chart of present and known missing over time, as SVG that stands in a page by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mazarbul_analytics.reports.words import instant, listed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["svg"]

WIDTH, HEIGHT = 640, 330
LEFT, RIGHT = 8, 632
_PANELS = (("present", "Present", 46, 132), ("known_missing", "Known missing", 204, 290))
_NICE = (1, 2, 5, 10)


def svg(timeline: pa.Table) -> str:
    """Return two panels on one time axis, each with a scale of its own; empty without a deposit.

    The numbers grow at different paces (a million held, fifty missing): one scale would hide the
    second line.
    """
    rows = list(listed(timeline))
    if not rows:
        return ""
    return "".join(_parts(rows))


def _parts(rows: Sequence[Any]) -> Iterator[str]:
    start, stop = rows[0]["at"], rows[-1]["at"]
    last = rows[-1]
    yield (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="ct cd" '
        'xmlns="http://www.w3.org/2000/svg"><title id="ct">Present and known missing over time'
        f'</title><desc id="cd">From {instant(start)} to {instant(stop)}; at the end '
        f"{last['present']:,} present and {last['known_missing']:,} known missing.</desc>"
    )
    for name, title, top, bottom in _PANELS:
        highest = _ceiling(max(row[name] for row in rows))
        yield f'<text class="t" x="{LEFT}" y="{top - 27}">{title}</text>'
        yield f'<text class="n" x="{RIGHT}" y="{top - 27}" text-anchor="end">{last[name]:,}</text>'
        for value in (0, highest // 2, highest) if highest > 1 else (0, highest):
            y = _y(value, highest, top, bottom)
            yield f'<path class="g" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
            yield f'<text class="a" x="{LEFT + 2}" y="{y - 3:.1f}">{value:,}</text>'
        line = _steps([(row["at"], row[name]) for row in rows], start, stop, highest, top, bottom)
        yield f'<path class="f {name}" d="{line}V{bottom}H{LEFT}Z"/>'
        yield f'<path class="l {name}" d="{line}"/>'
    axis = HEIGHT - 14
    yield f'<text class="a" x="{LEFT}" y="{axis}">{_day(start)}</text>'
    yield (
        f'<text class="a" x="{(LEFT + RIGHT) / 2:.0f}" y="{axis}" text-anchor="middle">'
        f"{_day(start + (stop - start) / 2)}</text>"
    )
    yield f'<text class="a" x="{RIGHT}" y="{axis}" text-anchor="end">{_day(stop)}</text></svg>'


def _steps(
    points: Sequence[tuple[datetime, int]],
    start: datetime,
    stop: datetime,
    highest: int,
    top: int,
    bottom: int,
) -> str:
    """Return a path that holds a number until the next one: nothing is known to lie between."""
    span = (stop - start).total_seconds() or 1.0
    path = ""
    for at, value in points:
        x = LEFT + (RIGHT - LEFT) * (at - start).total_seconds() / span
        y = _y(value, highest, top, bottom)
        path += f"H{x:.1f}V{y:.1f}" if path else f"M{x:.1f} {y:.1f}"
    return f"{path}H{RIGHT}"


def _y(value: int, highest: int, top: int, bottom: int) -> float:
    return bottom - (bottom - top) * value / highest


def _ceiling(value: int) -> int:
    """Return the next round number, at least 1."""
    size = 1
    while True:
        for step in _NICE:
            if step * size >= value:
                return step * size
        size *= 10


def _day(value: datetime) -> str:
    return instant(value)[:16].replace("T", " ")
