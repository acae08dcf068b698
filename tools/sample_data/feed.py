"""From what each published version of a source says to a feed of changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

Key = tuple[str, str, str]
Period = tuple[datetime, datetime | None]
Row = dict[str, str | datetime | None]

COLUMNS = (
    "from relation to fromEntityType toEntityType valid_from valid_to recorded_at "
    "source_event_uid attributes op"
).split()
TYPES = {
    "release_of": ("release", "distribution"),
    "succeeds": ("release", "release"),
    "supported_by": ("release", "programme"),
    "points_to": ("suite", "release"),
    "has_standard_time": ("time_zone", "utc_offset"),
    "observes": ("time_zone", "practice"),
}


@dataclass
class Snapshot:
    """All that one published version of a source says."""

    recorded_at: datetime
    event: str
    periods: dict[Key, list[Period]] = field(default_factory=dict)
    attributes: dict[Key, str] = field(default_factory=dict)

    def say(
        self, key: Key, start: datetime, end: datetime | None = None, **attributes: str
    ) -> None:
        """Add a period from `start`, included, to `end`, excluded; an empty one says nothing."""
        if end is None or start < end:
            self.periods.setdefault(key, []).append((start, end))
            if attributes:
                self.attributes[key] = json.dumps(attributes, sort_keys=True, ensure_ascii=False)


def subtract(period: Period, others: Iterable[Period]) -> list[Period]:
    """What is left of `period` outside `others`."""
    left = [period]
    for start, end in others:
        parts: list[Period] = []
        for a, b in left:
            if (b is not None and b <= start) or (end is not None and end <= a):
                parts.append((a, b))
                continue
            if a < start:
                parts.append((a, start))
            if end is not None and (b is None or end < b):
                parts.append((end, b))
        left = parts
    return left


def changes(snapshots: Iterable[Snapshot]) -> Iterator[Row]:
    """The rows that turn each snapshot's knowledge into the next one's."""
    old = Snapshot(datetime.min.replace(tzinfo=UTC), "")
    for new in snapshots:
        for key in sorted(old.periods.keys() | new.periods.keys()):
            before, after = old.periods.get(key, []), new.periods.get(key, [])
            if before and not after:
                yield _row(new, key, "retract", None)
                continue
            for period in before:
                for part in subtract(period, after):
                    yield _row(new, key, "unrelate", part)
            retold = old.attributes.get(key) != new.attributes.get(key)
            for period in after:
                if retold or subtract(period, before):
                    yield _row(new, key, "relate", period)
        old = new


def _row(snapshot: Snapshot, key: Key, op: str, period: Period | None) -> Row:
    start, end = period or (None, None)
    attributes = snapshot.attributes.get(key) if op == "relate" else None
    told = (start, end, snapshot.recorded_at, snapshot.event, attributes, op)
    return dict(zip(COLUMNS, (*key, *TYPES[key[1]], *told), strict=True))
