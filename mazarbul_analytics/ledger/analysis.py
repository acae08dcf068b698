"""Reading over both time axes: neighbors, changes, activity. Each runs one macro of `sql/`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.ledger import entities
from mazarbul_analytics.ledger.relations import Instant, filters_of, instants_asked
from mazarbul_analytics.rules import instants
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["DIRECTIONS", "activity", "changes", "neighbors"]

DIRECTIONS = ("outgoing", "incoming", "both")

MOST_INSTANTS = 1_000_000
"""A longer grid is more likely a slip of the step than a wish."""

_CALENDAR = re.compile(r"([0-9]{1,5}) ?(month|quarter|year)s?", re.ASCII | re.IGNORECASE)
_SHORTEST = {"month": 28, "quarter": 90, "year": 365}


def neighbors(
    connection: Connection,
    snapshot: Snapshot,
    entity: str,
    *,
    depth: int,
    at: Instant,
    as_of: Instant,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
    direction: str,
) -> pa.Table:
    """Return who is reachable from an entity; the caller documents it."""
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InvalidValue(f"depth is a whole number, at least 1: {depth!r}", value=depth)
    if direction not in DIRECTIONS:
        raise InvalidValue(
            f"direction is one of {', '.join(DIRECTIONS)}: {direction!r}", value=direction
        )
    asked = instants_asked(snapshot, at, as_of)
    filters = filters_of(predicates, scopes)
    start = entities.resolve(connection, entity)
    # the frontier of a step is handed to the scan as a list, up to so many uids: see neighbors_of
    connection.execute("set dynamic_or_filter_threshold = 10000")
    page = connection.page(
        "select * from neighbors_of($uid, $at, $as_of, $depth, direction := $direction, "
        "predicates := $predicates, scopes := $scopes)",
        {
            "uid": start.uid,
            "at": asked[0],
            "as_of": asked[1],
            "depth": depth,
            "direction": direction,
            **filters,
        },
    )
    if page.num_rows == 0:
        return schema.empty("neighbors")
    uids = pc.unique(page.column("path").combine_chunks().flatten())
    connection.raw.register("page", page)
    connection.raw.register("ends", entities.named(connection, uids))
    try:
        return schema.shaped(connection.page(statement("reads/neighbors_named.sql")), "neighbors")
    finally:
        connection.raw.unregister("page")
        connection.raw.unregister("ends")


def changes(
    connection: Connection,
    since: Instant,
    until: Instant,
    *,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
) -> pa.Table:
    """Return what was learned between two transaction instants; the caller documents it."""
    first = None if since is None else instants.parse(since)
    last = None if until is None else instants.parse(until)
    if first is not None and last is not None and last < first:
        raise InvalidValue(
            f"until {instants.format(last)} is before since {instants.format(first)}\n"
            "Give the earlier instant first.",
            value=until,
        )
    return _named(
        connection,
        "reads/changed.sql",
        "changes",
        {"since": first, "until": last, **filters_of(predicates, scopes)},
    )


def activity(
    connection: Connection,
    start: Instant,
    stop: Instant,
    step: str | timedelta,
    *,
    as_of: Instant,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
) -> pa.Table:
    """Return how many relations were live at each instant of a grid; the caller documents it."""
    if start is None or stop is None:
        raise InvalidValue("activity needs both start and stop", value=None)
    first, last = instants.parse(start), instants.parse(stop)
    return _named(
        connection,
        "reads/active.sql",
        "activity",
        {
            "start": first,
            "stop": last,
            "step": _step(step, last - first),
            "as_of": None if as_of is None else instants.parse(as_of),
            **filters_of(predicates, scopes),
        },
    )


def _named(connection: Connection, path: str, name: str, values: dict[str, object]) -> pa.Table:
    table = connection.arrow(statement(path).rstrip(), values)
    return schema.shaped(table, name)


def _step(step: str | timedelta, span: timedelta) -> timedelta | str:
    """Return a step as the engine takes it; calendar steps are words, the others lengths."""
    if span < timedelta(0):
        raise InvalidValue("stop is before start: give the earlier instant first", value=None)
    calendar = _CALENDAR.fullmatch(step.strip()) if isinstance(step, str) else None
    if calendar is not None:
        count, unit = int(calendar[1]), calendar[2].lower()
        length = timedelta(days=count * _SHORTEST[unit])
        answer: timedelta | str = f"{count} {unit}s"
    else:
        length = answer = instants.duration(step)
    if not length:
        raise InvalidValue(f"a step is longer than nothing: {step!r}", value=step)
    if span / length > MOST_INSTANTS:
        raise InvalidValue(
            f"{step!r} gives a grid of {span / length:,.0f} instants, more than "
            f"{MOST_INSTANTS:,}\nGive a longer step, or a nearer stop.",
            value=step,
        )
    return answer
