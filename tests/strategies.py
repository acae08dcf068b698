"""Random small histories: few names, few days, so that periods overlap, meet and collide."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from oracle import ALWAYS, Call

__all__ = ["DAYS", "FUTURE", "HELD_TO_THE_MODEL", "IN_SINGLE_CALLS", "calls", "day", "histories"]

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "quick",
    max_examples=20,
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
EVENTS = (None, None, None, "e1", "e2", "e3")
ATTRIBUTES = (None, None, {}, {"role": "dev", "n": 1}, {"n": 1.0, "role": "dev"}, {"role": "lead"})

FUTURE = datetime(2190, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    """Give midnight of a day of the small calendar."""
    return datetime(2021, 3, 1, tzinfo=UTC) + timedelta(days=number)


DAYS = tuple(day(n) for n in range(8))


_ODD = ["always", "always", "all", "now", "now", "later", "reversed", "empty"]


@st.composite
def _periods(draw):
    """Draw two bounds as a call gives them; now and then empty, reversed or left out."""
    first = draw(st.integers(0, 6))
    start, end = day(first), day(first + draw(st.sampled_from([1, 1, 1, 2, 2, 3, 5])))
    kind = draw(st.sampled_from(["both"] * 40 + ["open"] * 5 + _ODD))
    return {
        "both": (start, end),
        "reversed": (end, start),
        "empty": (start, start),
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
    """Draw calls about a few relations that are often each other's rivals, or echo each other.

    `exclusive` lets single calls be exclusive; `recorded` gives most of them a `recorded_at`.
    """
    subjects = _some(draw, SUBJECTS, [1, 1, 1, 1, 2, 3])
    objects = _some(draw, OBJECTS, [1, 1, 2, 2, 2, 3])
    predicates = _some(draw, PREDICATES, [1, 1, 1, 2])
    scopes = _some(draw, SCOPES, [1, 1, 1, 2])
    fresh = calls(subjects, predicates, objects, scopes)
    told = []
    for step in draw(st.lists(st.sampled_from(_STEPS), min_size=1 + most // 3, max_size=most)):
        dated = [call for call in told if call.op == "relate" and call.valid_from in DAYS]
        if step == "fresh" or not dated:
            call = draw(fresh)
        else:
            call = _echo(step, draw(st.sampled_from(dated)), draw(st.sampled_from(objects)))
            call = replace(call, event=draw(st.sampled_from(EVENTS)))
        if exclusive and call.op == "relate":
            call = replace(call, exclusive=draw(st.booleans()))
        if recorded:
            call = replace(call, recorded_at=draw(st.sampled_from(_MOMENTS)))
        told.append(call)
    return told


_STEPS = ["fresh"] * 5 + ["again", "rival", "filling", "beside", "changed"]
_MOMENTS = [*(day(100 + n) for n in (0, 0, 1, 1, 2, 3)), None] * 3 + [FUTURE]


def _echo(step, call, others):
    """Make a call that has to do with an earlier one: random ones alone seldom do."""
    end = call.valid_to if call.valid_to in DAYS else call.valid_from
    return {
        "again": replace(call, attributes=None),
        "rival": replace(call, object=others[0]),
        "filling": replace(call, valid_from=end, valid_to=end + timedelta(days=1)),
        "beside": replace(call, valid_from=end + timedelta(days=1), valid_to=None),
        "changed": replace(call, attributes={"role": "lead"}),
    }[step]


@st.composite
def calls(draw, subjects, predicates, objects, scopes):
    """Draw one call; it is not exclusive and has no `recorded_at`."""
    subject = draw(st.sampled_from(draw(st.sampled_from(subjects))))
    object_ = draw(st.sampled_from(draw(st.sampled_from(objects))))
    predicate = draw(st.sampled_from(draw(st.sampled_from(predicates))))
    op = draw(st.sampled_from(["relate"] * 14 + ["unrelate"] * 3 + ["retract"]))
    if subject.strip().casefold() == object_.strip().casefold():
        op = "relate"  # its refusal is one rule; a removal of what cannot be is another
    start, end = (None, None) if op == "retract" else draw(_periods())
    return Call(
        op,
        subject,
        predicate,
        object_,
        start,
        end,
        attributes=draw(st.sampled_from(ATTRIBUTES)) if op == "relate" else None,
        event=draw(st.sampled_from(EVENTS)) if op == "relate" else None,
        scope=draw(st.sampled_from(scopes)),
    )
