"""Random small histories: few names, few days, so that periods overlap, meet and collide."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from oracle import ALWAYS, Call

__all__ = ["DAYS", "FUTURE", "HELD_TO_THE_MODEL", "IN_SINGLE_CALLS", "calls", "day", "histories"]

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "quick",
    max_examples=30,
    deadline=None,  # a commit waits for the disk
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=_SLOW,
)
settings.register_profile(
    "thorough", settings.get_profile("quick"), max_examples=500, derandomize=False
)

HELD_TO_THE_MODEL = settings.get_profile(os.environ.get("MAZARBUL_HYPOTHESIS", "quick"))
"""Decorates the tests that hold the engine to the model; `MAZARBUL_HYPOTHESIS=thorough` is long."""

IN_SINGLE_CALLS = settings(HELD_TO_THE_MODEL, max_examples=HELD_TO_THE_MODEL.max_examples // 2)
"""The same for tests that make a commit for each call of a history."""

# each name in a few spellings that are one name; "Bo" stands on both sides
SUBJECTS = (("Ann", "ANN", " ann "), ("Bo",), ("Straße 1", "STRASSE  1"))
OBJECTS = (("Mill", "mill"), ("Port",), ("bo", "Bo"))
PREDICATES = (("works_at", "Works At", "works-at"), ("knows",))
SCOPES = ("project", "team")
EVENTS = (None, None, "e1", "e2", "e3")
ATTRIBUTES = (None, None, {}, {"role": "dev", "n": 1}, {"n": 1.0, "role": "dev"}, {"role": "lead"})

FUTURE = datetime(2190, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    """Give midnight of a day of the small calendar."""
    return datetime(2021, 3, 1, tzinfo=UTC) + timedelta(days=number)


DAYS = tuple(day(n) for n in range(8))


@st.composite
def _periods(draw):
    """Draw two bounds as a call gives them; now and then empty, reversed or left out."""
    first, last = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    if first > last or (first == last and draw(st.integers(0, 3))):
        first, last = min(first, last), max(first, last) + 1
    start, end = day(first), day(last)
    kind = draw(st.sampled_from(["both"] * 7 + ["open", "open", "always", "all", "now", "later"]))
    if kind == "both":
        return draw(st.sampled_from([(start, end)] * 19 + [(end, start)]))
    return {
        "open": (start, None),
        "always": (ALWAYS, end),
        "all": (ALWAYS, None),
        "now": (None, draw(st.sampled_from([None, FUTURE, end]))),
        "later": (FUTURE, None),
    }[kind]


def _some(draw, pool, sizes):
    """Take a part of a pool, small more often than not, so that calls meet."""
    return pool[: draw(st.sampled_from(sizes))]


@st.composite
def histories(draw, *, most=8, exclusive=True, recorded=False):
    """Draw calls about a few relations that are often each other's rivals.

    `exclusive` lets single calls be exclusive; `recorded` gives most of them a `recorded_at`.
    """
    subjects = _some(draw, SUBJECTS, [1, 1, 2, 3])
    objects = _some(draw, OBJECTS, [1, 2, 2, 3])
    predicates = _some(draw, PREDICATES, [1, 1, 2])
    scopes = _some(draw, SCOPES, [1, 1, 2])
    one = calls(subjects, predicates, objects, scopes, exclusive=exclusive, recorded=recorded)
    return draw(st.lists(one, min_size=1, max_size=most))


@st.composite
def calls(draw, subjects, predicates, objects, scopes, *, exclusive, recorded):
    """Draw one call."""
    subject = draw(st.sampled_from(draw(st.sampled_from(subjects))))
    object_ = draw(st.sampled_from(draw(st.sampled_from(objects))))
    predicate = draw(st.sampled_from(draw(st.sampled_from(predicates))))
    op = draw(st.sampled_from(["relate"] * 7 + ["unrelate"] * 2 + ["retract"]))
    if subject.strip().casefold() == object_.strip().casefold():
        op = "relate"  # its refusal is one rule; a removal of what cannot be is another
    start, end = draw(_periods())
    if op == "retract":
        start = end = None
    relate = op == "relate"
    recorded_at = None
    if recorded:
        moments = [*(day(100 + n) for n in (0, 0, 1, 1, 2, 3)), None]
        recorded_at = draw(st.sampled_from([*moments * 3, FUTURE]))
    return Call(
        op,
        subject,
        predicate,
        object_,
        start,
        end,
        attributes=draw(st.sampled_from(ATTRIBUTES)) if relate else None,
        event=draw(st.sampled_from(EVENTS)) if relate else None,
        scope=draw(st.sampled_from(scopes)),
        exclusive=exclusive and relate and draw(st.sampled_from([False, False, True])),
        recorded_at=recorded_at,
    )
