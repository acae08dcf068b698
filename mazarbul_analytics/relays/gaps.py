"""The gap report: what is known to be missing, since when and between what, as Arrow tables."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.rules import instants
from mazarbul_analytics.rules.relayids import IdForm
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["FAIL_ON", "GapReport", "report"]

Instant = str | date | datetime | None

FAIL_ON = ("none", "missing", "new", "holes")
"""The conditions that may raise the alarm of a report."""

STATE_FORMAT = "mazarbul-gap-state/1"
TIMELINE_POINTS = 120


@dataclass(frozen=True)
class GapReport:
    """The gaps of an archive at one transaction instant, `as_of`.

    `present` counts the held records, `missing` all known-missing ids, `known_missing` lists those
    that are at least `older_than` old. Arrow tables, each in id order:

    - `known_missing`: relay_id, named_by, first_named_at, age_seconds, previous_present,
      next_present, issued_after, issued_before, is_new
    - `closed`: relay_id, first_named_at, deposited_at; since the last report, or since `since`
    - `late`: relay_id, first_named_at, deposited_at, delay_seconds
    - `holes`: first, last, count; both ends are in the hole
    - `continuity`: relay_id, parent, continuity (`DIVERGES`, `UNANCHORED`), claimed, held
    - `timeline`: at, present, known_missing; from the first deposit to `as_of`
    """

    as_of: datetime
    present: int
    missing: int
    known_missing: pa.Table
    closed: pa.Table
    late: pa.Table
    holes: pa.Table
    continuity: pa.Table
    since: datetime | None = None
    older_than: timedelta = timedelta(0)
    _state: _State | None = field(default=None, repr=False)
    _connection: Connection | None = field(default=None, repr=False, compare=False)

    @property
    def new(self) -> int:
        """How many of the listed gaps are new."""
        return int(pc.sum(self.known_missing["is_new"]).as_py() or 0)

    @property
    def hole_ids(self) -> int:
        """How many ids the holes hold together."""
        return int(pc.sum(self.holes["count"]).as_py() or 0)

    @cached_property
    def timeline(self) -> pa.Table:
        """How many relays were present and known missing over time; for the chart."""
        if self._connection is None:  # pragma: no cover - a report always comes with one
            return schema.empty("timeline")
        table = self._connection.arrow(
            "select * from relay_timeline($as_of, $points)",
            {"as_of": self.as_of, "points": TIMELINE_POINTS},
        )
        return schema.shaped(table, "timeline")

    def alarms(self, conditions: Collection[str]) -> bool:
        """Tell whether one of the conditions is met: `missing`, `new`, `holes`; `none` never is.

        `missing` and `new` look at the listed gaps, so at those that are old enough.
        """
        for condition in conditions:
            if condition not in FAIL_ON:
                raise InvalidValue(
                    f"no condition: {condition!r}; there are {', '.join(FAIL_ON)}", value=condition
                )
        met = {
            "missing": self.known_missing.num_rows > 0,
            "new": self.new > 0,
            "holes": self.holes.num_rows > 0,
        }
        return any(met.get(condition, False) for condition in conditions)

    def remember(self) -> None:
        """Write the state file, so that the next report knows what this one listed.

        Call it when the report is safely out: after a crash in between, the next report tells the
        same gaps again. Without a state file nothing happens.
        """
        if self._state is not None:
            self._state.write(self)

    def _repr_html_(self) -> str:
        from mazarbul_analytics.display import html_table  # noqa: PLC0415 - notebooks only

        return html_table(
            self.known_missing, f"{self.present} present, {self.missing} known missing"
        )


@dataclass(frozen=True)
class _State:
    """A state file and what it says: the ids that were listed and are still missing, or None."""

    path: Path
    known: Sequence[str] | None

    @classmethod
    def read(cls, path: Path) -> _State:
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(path, None)
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"cannot read the state file {path}: {error}") from error
        try:
            said = json.loads(text)
            known = said["knownMissing"]
            whole = said["format"] == STATE_FORMAT and all(isinstance(k, str) for k in known)
        except (ValueError, KeyError, TypeError):
            known, whole = (), False
        if not whole:
            raise InvalidValue(
                f"not a state file of gap reports: {path}\n"
                "Name another file, or remove this one: then every gap is new again.",
                value=str(path),
            )
        return cls(path, tuple(known))

    def write(self, told: GapReport) -> None:
        """Replace the file: what is still missing of what any report listed."""
        closed = set(told.closed["relay_id"].to_pylist())
        known = {*(self.known or ()), *told.known_missing["relay_id"].to_pylist()} - closed
        text = json.dumps(
            {
                "format": STATE_FORMAT,
                "asOf": instants.format(told.as_of),
                "knownMissing": sorted(known),
            },
            ensure_ascii=False,
            indent=1,
        )
        beside = self.path.with_name(f".{self.path.name}-{uuid.uuid4().hex}")
        try:
            with beside.open("w", encoding="utf-8") as sink:
                sink.write(text + "\n")
                sink.flush()
                os.fsync(sink.fileno())
            beside.replace(self.path)
        except OSError as error:
            raise StoreError(
                f"cannot write the state file {self.path}: {error.strerror or error}"
            ) from error
        finally:
            beside.unlink(missing_ok=True)


def report(
    connection: Connection,
    snapshot: Snapshot,
    *,
    as_of: Instant,
    since: Instant,
    older_than: str | timedelta | None,
    state: str | os.PathLike[str] | None,
    last: str | None,
) -> GapReport:
    """Make a gap report; `Store.gaps` documents it."""
    if since is not None and state is not None:
        raise InvalidValue(
            "since and state both tell what the last report was: give one of them", value=str(state)
        )
    settings = snapshot.tables["relays"].settings
    last_number = None if last is None else IdForm.of(settings).number(last)
    kept = None if state is None else _State.read(Path(state))
    moment = _moment(snapshot, as_of)
    begun = None if since is None else instants.parse(since)
    least = timedelta(0) if older_than is None else instants.duration(older_than)
    known = None if kept is None or kept.known is None else list(kept.known)
    values: dict[str, Any] = {
        "as_of": moment,
        "since": begun,
        "known": known,
        "older_than": int(least.total_seconds()),
        "last_number": last_number,
    }
    connection.run("reads/gap_tables.sql", as_of=moment)

    def table(name: str, sql: str) -> pa.Table:
        used = {k: v for k, v in values.items() if f"${k}" in sql}
        return schema.shaped(connection.arrow(sql, used or None), name)

    return GapReport(
        moment,
        connection.scalar("select count(*) from report_present"),
        connection.scalar("select count(*) from report_missing"),
        known_missing=table("known_missing", statement("reads/gaps_missing.sql")),
        closed=table("closed", statement("reads/gaps_closed.sql")),
        late=table("late", "select * from relay_late_among('report_unmet')"),
        holes=table(
            "holes",
            "select * from relay_holes_among('report_missing', 'report_present', $last_number)",
        ),
        continuity=table("continuity", statement("reads/gaps_continuity.sql")),
        since=begun,
        older_than=least,
        _state=kept,
        _connection=connection,
    )


def _moment(snapshot: Snapshot, as_of: Instant) -> datetime:
    """Return the report's instant: `as_of`, else now, or the newest commit's if it is later."""
    if as_of is not None:
        return instants.parse(as_of)
    now = datetime.now(UTC)
    newest = snapshot.newest_commit
    return now if newest is None else max(now, newest)
