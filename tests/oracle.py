"""A slow model of the time rules in plain Python, which Hypothesis holds the engine to.

It applies one call at a time, as docs/guarantees.md words it, and imports nothing of the package. A
relation is a list of versions; a version is never changed but for the instant that superseded it.

Instants are anything that compares: aware datetimes against the store, small integers in the
model's own tests. A bound of `None` is open: always at the start of a period, still at its end.
Periods include their start and exclude their end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from plainwords import attributes_of, name_fault, name_key, normal_predicate

__all__ = [
    "ALWAYS",
    "Call",
    "Key",
    "Oracle",
    "Outcome",
    "Portion",
    "Version",
]

# --- what is told ------------------------------------------------------------------------------


class _Always(Enum):
    ALWAYS = "-infinity"


ALWAYS = _Always.ALWAYS
"""Given as `valid_from`: the period has no start. (None there is: not given.)"""


@dataclass(frozen=True)
class Call:
    """One call, or one row of an import, as its author wrote it."""

    op: str
    subject: str
    predicate: str
    object: str
    valid_from: Any = None
    valid_to: Any = None
    attributes: Mapping[str, object] | None = None
    """None is not given, `{}` is none."""
    event: str | None = None
    scope: str = "project"
    exclusive: bool = False
    recorded_at: Any = None


class Key(NamedTuple):
    """What makes a relation that relation."""

    scope: str
    subject: str
    predicate: str
    object: str


class Outcome(NamedTuple):
    """What became of one call; a rejected one names every rule that it broke, in order."""

    status: str
    reasons: tuple[str, ...] = ()


# --- what is known -----------------------------------------------------------------------------


class Portion(NamedTuple):
    """A valid period of a relation and what is said about it."""

    start: Any
    end: Any
    attributes: Any
    event: str | None


@dataclass(frozen=True)
class Version:
    """One immutable row: a portion, and when it was current knowledge."""

    key: Key
    portion: Portion
    recorded_at: Any
    superseded_at: Any = None
    ended_by: str = ""
    """`retract`, `other`, or `unsure` where one commit both retracted and did something else."""


_ENDED = {"retract": "retracted", "other": "superseded", "unsure": "retracted or superseded"}

State = dict[Key, tuple[Portion, ...]]


def _low(start: Any) -> tuple[int, Any]:
    return (0, 0) if start is None else (1, start)


def _high(end: Any) -> tuple[int, Any]:
    return (2, 0) if end is None else (1, end)


def _overlap(one: Portion, start: Any, end: Any) -> bool:
    return _low(one.start) < _high(end) and _low(start) < _high(one.end)


def _meet(one: Portion, other: Portion) -> bool:
    return _low(one.start) <= _high(other.end) and _low(other.start) <= _high(one.end)


def _without(one: Portion, start: Any, end: Any) -> Iterator[Portion]:
    """Give what of a portion lies outside a period."""
    if not _overlap(one, start, end):
        yield one
        return
    if _low(one.start) < _low(start):
        yield one._replace(end=start)
    if _high(end) < _high(one.end):
        yield one._replace(start=end)


def _in_order(portions: Iterable[Portion]) -> tuple[Portion, ...]:
    return tuple(sorted(portions, key=lambda p: _low(p.start)))


def _unknown_parts(known: Sequence[Portion], start: Any, end: Any) -> list[Portion]:
    """Which parts of a period no portion covers."""
    missing = [Portion(start, end, None, None)]
    for one in known:
        missing = [part for gap in missing for part in _without(gap, one.start, one.end)]
    return missing


def _cut(known: Sequence[Portion], start: Any, end: Any) -> tuple[Portion, ...]:
    """Take a period away; what is left over keeps its attributes and its event."""
    return _in_order(part for one in known for part in _without(one, start, end))


def _put(
    known: Sequence[Portion], start: Any, end: Any, call: Call
) -> tuple[tuple[Portion, ...], bool]:
    """Say that the relation holds over a period: the new portions, and whether it was known."""
    missing = _unknown_parts(known, start, end)
    inside = [one for one in known if _overlap(one, start, end)]
    attributes = attributes_of(call.attributes)
    given = call.attributes is not None
    if not missing and not (given and any(one.attributes != attributes for one in inside)):
        return tuple(known), True

    told = [Portion(start, end, attributes, None)] if given else missing
    portions = list(_cut(known, start, end) if given else known)
    for new in told:
        same = [one for one in portions if one.attributes == new.attributes and _meet(one, new)]
        run = new._replace(
            start=min([new.start, *(one.start for one in same)], key=_low),
            end=max([new.end, *(one.end for one in same)], key=_high),
        )
        portions = [one for one in portions if one not in same] + [run]

    def with_event(run: Portion) -> Portion:
        if not any(_overlap(new, run.start, run.end) for new in told):
            return run
        parts = [
            one
            for one in _in_order(known)
            if one.attributes == run.attributes and _overlap(one, run.start, run.end)
        ]
        return run._replace(event=call.event or (parts[0].event if parts else None))

    return _in_order(map(with_event, portions)), False


@dataclass
class Report:
    """What an import did: an outcome for each row, in the order of the rows."""

    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        return Counter(outcome.status for outcome in self.outcomes)


class Oracle:
    """The ledger as docs/guarantees.md describes it."""

    def __init__(self) -> None:
        self.versions: list[Version] = []

    @staticmethod
    def key(call: Call) -> Key:
        """Name the relation that a call is about."""
        predicate = normal_predicate(call.predicate)
        return Key(call.scope, name_key(call.subject), predicate, name_key(call.object))

    # writing (docs/guarantees.md, Writes)

    def call(self, call: Call, instant: Any) -> Outcome:
        """One single call, recorded at `instant`."""
        return self.import_rows([replace(call, recorded_at=None)], instant).outcomes[0]

    def import_rows(
        self,
        rows: Sequence[Call],
        instant: Any,
        *,
        exclusive: Collection[str] = (),
        trust: bool = False,
    ) -> Report:
        """Apply rows in order, in one commit at `instant`.

        With `trust`: in rounds by their `recorded_at`.
        """
        if not trust:
            rows = [replace(row, recorded_at=None) for row in rows]
        painted = {normal_predicate(predicate) for predicate in exclusive}
        rows = [
            replace(row, exclusive=row.exclusive or normal_predicate(row.predicate) in painted)
            for row in rows
        ]
        held = self._held_until()
        ever = {version.key for version in self.versions}
        outcomes: dict[int, Outcome] = {}
        rounds: dict[Any, list[int]] = {}
        for i, row in enumerate(rows):
            moment = instant if row.recorded_at is None else row.recorded_at
            rounds.setdefault(moment, []).append(i)
        for moment in sorted(rounds):
            before = self.known()
            state, kinds = dict(before), {}
            for i in rounds[moment]:
                row, key = rows[i], self.key(rows[i])
                faults = _faults(row, moment, instant)
                if row.op != "relate" and key not in ever:
                    faults += ("unknown_relation",)
                if faults:
                    outcomes[i] = Outcome("rejected", faults)
                    continue
                # an answer once given for an as_of does not change
                late = trust and key[:3] in held and moment <= held[key[:3]]
                status, after = _judge(self.known(moment) if late else state, row, moment)
                if late and status not in {"duplicate", "unchanged"}:
                    outcomes[i] = Outcome("rejected", ("backdated",))
                    continue
                outcomes[i] = Outcome(status)
                ever.add(key)
                if not late:
                    for changed in _differing(state, after):
                        kinds.setdefault(changed, []).append(row.op)
                    state = after
            self._commit(before, state, moment, kinds)
        return Report([outcomes[i] for i in range(len(rows))])

    def _held_until(self) -> dict[tuple[str, ...], Any]:
        """Find the last transaction instant of each scope, subject and predicate."""
        held: dict[tuple[str, ...], Any] = {}
        for version in self.versions:
            group = version.key[:3]
            for instant in (version.recorded_at, version.superseded_at):
                if instant is not None:
                    held[group] = max(held.get(group, instant), instant)
        return held

    def _commit(
        self, before: State, after: State, instant: Any, kinds: Mapping[Key, list[str]]
    ) -> None:
        for key in _differing(before, after):
            old, new = before.get(key, ()), after.get(key, ())
            done = set(kinds[key])
            why = "other" if "retract" not in done else "retract" if len(done) == 1 else "unsure"
            self.versions = [
                replace(v, superseded_at=instant, ended_by=why)
                if v.key == key and v.superseded_at is None and v.portion not in new
                else v
                for v in self.versions
            ]
            self.versions += [Version(key, part, instant) for part in new if part not in old]

    # reading (docs/guarantees.md, Time)

    def known(self, as_of: Any = None) -> State:
        """Give what was current knowledge at a transaction instant (None: all recorded)."""
        state: State = {}
        for version in self.versions:
            if _recorded(version, as_of) and not _superseded(version, as_of):
                state[version.key] = (*state.get(version.key, ()), version.portion)
        return {key: _in_order(portions) for key, portions in state.items()}

    def live(self, at: Any, as_of: Any = None) -> list[Version]:
        """List the versions live at (at, as_of), in every scope."""
        return [v for v in self.versions if self.status(v, at, as_of) == "live"]

    def status(self, version: Version, at: Any, as_of: Any = None) -> str:
        """Judge a version at (at, as_of); empty when `as_of` hides it."""
        if not _recorded(version, as_of):
            return ""
        if _superseded(version, as_of):
            return _ENDED[version.ended_by]
        start, end = version.portion.start, version.portion.end
        if end is not None and end <= at:
            return "expired"
        if start is not None and start > at:
            return "future"
        return "live"

    def listing(
        self,
        entity: str,
        at: Any,
        as_of: Any = None,
        *,
        scopes: Collection[str] = ("project", "personal"),
        predicates: Collection[str] | None = None,
        include_inactive: bool = False,
    ) -> list[tuple[str, Version, str]]:
        """List direction, version and status of an entity's relations, newest period first."""
        wanted = None if predicates is None else {normal_predicate(p) for p in predicates}
        rows = []
        for version in self.versions:
            key, status = version.key, self.status(version, at, as_of)
            if key.scope not in scopes or (wanted is not None and key.predicate not in wanted):
                continue
            if not status or not (include_inactive or status == "live"):
                continue
            if name_key(entity) == key.subject:
                rows.append(("outgoing", version, status))
            if name_key(entity) == key.object:
                rows.append(("incoming", version, status))
        rows.sort(key=lambda row: row[1].recorded_at, reverse=True)
        return sorted(rows, key=lambda row: _low(row[1].portion.start), reverse=True)

    def history(self, entity: str) -> list[Version]:
        """Every version that an entity takes part in, in every scope."""
        return [v for v in self.versions if name_key(entity) in {v.key.subject, v.key.object}]


def _period(call: Call, moment: Any) -> tuple[Any, Any]:
    start = moment if call.valid_from is None else call.valid_from
    return (None if start is ALWAYS else start), call.valid_to


def _faults(call: Call, moment: Any, now: Any) -> tuple[str, ...]:
    """List the rules that a row breaks by itself."""
    faults = [name_fault(call.subject), name_fault(call.object)]
    start, end = _period(call, moment)
    if call.op != "retract" and None not in {start, end} and end <= start:
        faults.append("empty_period")
    if moment > now:
        faults.append("future_recorded_at")
    if name_key(call.subject) == name_key(call.object):
        faults.append("self_reference")
    return tuple(fault for fault in faults if fault)


def _judge(state: State, call: Call, moment: Any) -> tuple[str, State]:
    """Give the status of one call, and what is current after it."""
    key, after = Oracle.key(call), dict(state)
    known = state.get(key, ())
    start, end = _period(call, moment)
    if call.op == "retract":
        after.pop(key, None)
        return ("removed" if known else "unchanged"), after
    if call.op == "unrelate":
        after[key] = _cut(known, start, end)
        return ("unchanged" if after[key] == known else "removed"), after

    after[key], was_known = _put(known, start, end, call)
    superseded = any(one not in after[key] for one in known)
    if call.exclusive:
        for rival, portions in state.items():
            if rival[:3] == key[:3] and rival != key:
                after[rival] = _cut(portions, start, end)
                superseded = superseded or after[rival] != portions
    if superseded:
        return "corrected", after
    return ("duplicate" if was_known else "created"), after


def _differing(one: State, other: State) -> list[Key]:
    return [key for key in one | other if one.get(key, ()) != other.get(key, ())]


def _recorded(version: Version, as_of: Any) -> bool:
    return as_of is None or version.recorded_at <= as_of


def _superseded(version: Version, as_of: Any) -> bool:
    end = version.superseded_at
    return end is not None and (as_of is None or end <= as_of)
