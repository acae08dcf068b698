"""The model itself, by literal examples and by a second one that knows only single days."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import ALWAYS, Call, Oracle
from plainwords import json_value, name_fault, name_key, normal_name, normal_predicate
from strategies import FUTURE, HELD_TO_THE_MODEL, histories

X, Y = {"x": 1}, {"y": 2}


def put(start, end, attributes=None, event=None, **more):
    return Call("relate", "Ann", "works_at", "Mill", start, end, attributes, event, **more)


def cut(start, end):
    return Call("unrelate", "Ann", "works_at", "Mill", start, end)


RETRACT = Call("retract", "Ann", "works_at", "Mill")


def current(oracle, object_="mill"):
    names = {None: "", json_value(X): "x", json_value(Y): "y"}
    for key, portions in oracle.known().items():
        if key.object == object_:
            return [(p.start, p.end, names[p.attributes], p.event) for p in portions]
    return []


@pytest.mark.parametrize(
    ("calls", "statuses", "portions"),
    [
        ([put(2, 5)], "created", [(2, 5, "", None)]),
        ([put(2, 5, {})], "created", [(2, 5, "", None)]),
        ([put(ALWAYS, None)], "created", [(None, None, "", None)]),
        # duplicates: covered, and nothing that differs
        ([put(2, 5, X), put(3, 5)], "created duplicate", [(2, 5, "x", None)]),
        ([put(2, 5, X, "a"), put(2, 5, X, "b")], "created duplicate", [(2, 5, "x", "a")]),
        ([put(2, 5, X), put(2, 5, {"x": 1.0})], "created duplicate", [(2, 5, "x", None)]),
        ([put(2, 4, X), put(4, 6, Y), put(2, 6)], "created created duplicate",
         [(2, 4, "x", None), (4, 6, "y", None)]),
        # other attributes for a part: the rest keeps its own event
        ([put(0, None, X, "a"), put(3, None, Y, "b")], "created corrected",
         [(0, 3, "x", "a"), (3, None, "y", "b")]),
        ([put(0, 9, X, "a"), put(3, 5, Y)], "created corrected",
         [(0, 3, "x", "a"), (3, 5, "y", None), (5, 9, "x", "a")]),
        ([put(0, 9, X, "a"), put(3, 5, {})], "created corrected",
         [(0, 3, "x", "a"), (3, 5, "", None), (5, 9, "x", "a")]),
        # periods that meet or overlap become one
        ([put(0, 3, X, "a"), put(3, 5, X)], "created corrected", [(0, 5, "x", "a")]),
        ([put(0, 3, X, "a"), put(3, 5, X, "b")], "created corrected", [(0, 5, "x", "b")]),
        ([put(0, 3, X, "a"), put(6, 8, X, "c"), put(2, 7, X)], "created created corrected",
         [(0, 8, "x", "a")]),
        ([put(4, 6, X, "a"), put(0, 9, X)], "created corrected", [(0, 9, "x", "a")]),
        # a second stint
        ([put(0, 3, X, "a"), put(4, 5, X, "b")], "created created",
         [(0, 3, "x", "a"), (4, 5, "x", "b")]),
        # no attributes over a part that is unknown: none there, the inside stays
        ([put(2, 4, X, "a"), put(0, 6, None, "b")], "created created",
         [(0, 2, "", "b"), (2, 4, "x", "a"), (4, 6, "", "b")]),
        ([put(2, 4, {}, "a"), put(4, 5, X, "b"), put(0, 7)], "created created corrected",
         [(0, 4, "", "a"), (4, 5, "x", "b"), (5, 7, "", None)]),
        # portions taken away
        ([put(0, 9, X, "a"), cut(3, 5)], "created removed", [(0, 3, "x", "a"), (5, 9, "x", "a")]),
        ([put(0, 9), cut(3, None)], "created removed", [(0, 3, "", None)]),
        ([put(0, 9), cut(9, None)], "created unchanged", [(0, 9, "", None)]),
        ([put(0, 9), cut(ALWAYS, None), cut(0, 9)], "created removed unchanged", []),
        ([put(0, 3), put(5, 9), RETRACT, RETRACT], "created created removed unchanged", []),
        ([put(0, 3, None, "a"), RETRACT, put(0, 3)], "created removed created",
         [(0, 3, "", None)]),
        # refused
        ([cut(0, 3)], "unknown_relation", []),
        ([RETRACT], "unknown_relation", []),
        ([put(3, 3)], "empty_period", []),
        ([put(4, 3)], "empty_period", []),
        ([put(None, 3)], "empty_period", []),  # recorded at 100
        ([put(0, 3), cut(3, 3)], "created empty_period", [(0, 3, "", None)]),
    ],
)  # fmt: skip
def test_calls_in_turn(calls, statuses, portions):
    oracle = Oracle()
    told = [oracle.call(call, 100 + i) for i, call in enumerate(calls)]
    assert " ".join(o.reasons[0] if o.reasons else o.status for o in told) == statuses
    assert current(oracle) == portions
    # one import of the same rows ends the same
    bulk = Oracle()
    assert bulk.import_rows(calls, 100).outcomes == told
    assert bulk.known() == oracle.known()
    assert {v.recorded_at for v in bulk.versions} <= {100}


def test_a_new_employer_ends_the_old_one():
    oracle = Oracle()
    oracle.call(put(0, None, X, "a"), 100)
    new = Call("relate", "ann", "Works At", "Port", 3, None, exclusive=True)
    assert oracle.call(new, 101).status == "corrected"
    assert current(oracle) == [(0, 3, "x", "a")]
    assert current(oracle, "port") == [(3, None, "", None)]
    assert oracle.call(new, 102).status == "duplicate"
    # known without exclusive, but a rival is current in the period
    oracle.call(put(4, 5), 103)
    assert oracle.call(new, 104).status == "corrected"
    assert current(oracle) == [(0, 3, "x", "a")]
    # other scopes, subjects and predicates are no rivals
    for other in ({"scope": "team"}, {"subject": "Bo"}, {"predicate": "knows"}):
        call = Call(**({"op": "relate", "subject": "Ann", "predicate": "works_at",
                        "object": "Fort", "exclusive": True} | other))  # fmt: skip
        assert oracle.call(call, 105).status == "created"


def test_history_keeps_what_was_believed():
    oracle = Oracle()
    oracle.call(put(0, None, X), 100)
    oracle.call(put(5, None, Y), 110)
    assert [v.portion[:2] for v in oracle.live(7, 109)] == [(0, None)]
    assert [v.portion[:2] for v in oracle.live(7, 110)] == [(5, None)]
    statuses = [[s for _, _, s in oracle.listing("ANN", 3, t, include_inactive=True)]
                for t in (99, 105, 110)]  # fmt: skip
    assert statuses == [[], ["live"], ["future", "live", "superseded"]]
    oracle.call(RETRACT, 120)
    found = oracle.listing("Mill", 3, include_inactive=True)
    assert [(d, v.portion.start, s) for d, v, s in found] == [
        ("incoming", 5, "retracted"),
        ("incoming", 0, "retracted"),
        ("incoming", 0, "superseded"),
    ]
    assert oracle.listing("Mill", 3) == []
    assert oracle.listing("Mill", 3, 115, scopes=["team"]) == []
    assert oracle.listing("Mill", 3, 115, predicates=["works-at"])[0][1].portion[:2] == (0, 5)


def test_one_import_writes_nothing_that_is_born_and_superseded_in_it():
    oracle = Oracle()
    report = oracle.import_rows([put(0, 9, X), put(3, 5, Y), put(3, 5, X)], 100)
    assert report.counts == {"created": 1, "corrected": 2}
    assert [(v.portion[:2], v.superseded_at) for v in oracle.versions] == [((0, 9), None)]
    # what comes out equal stays untouched
    report = oracle.import_rows([cut(3, 5), put(3, 5, X)], 101)
    assert report.counts == {"removed": 1, "corrected": 1}
    assert len(oracle.versions) == 1
    # told anew by another event it is not equal
    oracle.import_rows([cut(3, 5), put(3, 5, X, "b")], 102)
    assert [(v.portion.event, v.superseded_at) for v in oracle.versions] == [
        (None, 102),
        ("b", None),
    ]


def test_history_given_by_the_source():
    oracle = Oracle()
    rows = [
        put(5, None, Y, "b", recorded_at=20),
        put(0, None, X, "a", recorded_at=10),
        put(None, 30, Y, recorded_at=15),  # from 15 on
        put(0, 1, recorded_at=101),
        put(0, 1, recorded_at=10),
        cut(8, None),  # at the moment of the import
    ]
    report = oracle.import_rows(rows, 100, trust=True)
    assert [o.reasons[0] if o.reasons else o.status for o in report.outcomes] == [
        "corrected", "created", "corrected", "future_recorded_at", "duplicate", "removed",
    ]  # fmt: skip
    assert [p[:2] for p in oracle.known(10)[("project", "ann", "works_at", "mill")]] == [(0, None)]
    assert [p[:2] for p in oracle.known(15)[("project", "ann", "works_at", "mill")]] == [
        (0, 15),
        (15, 30),
        (30, None),
    ]
    assert current(oracle) == [(0, 5, "x", "a"), (5, 8, "y", "b")]
    # the same again says nothing new; anything else that old is refused
    assert oracle.import_rows(rows[:3], 110, trust=True).counts == {"duplicate": 3}
    for late in (put(0, 1, Y, recorded_at=10), cut(0, 1), put(0, 1, Y, recorded_at=100)):
        outcome = oracle.import_rows([late], 100, trust=True).outcomes[0]
        assert outcome.reasons == ("backdated",)
    assert oracle.import_rows([put(0, 1, Y, recorded_at=101)], 110, trust=True).counts == {
        "corrected": 1
    }


@pytest.mark.parametrize(
    ("text", "name", "key"),
    [
        ("  Ann \t\n Lee ", "Ann Lee", "ann lee"),
        ("STRASSE", "STRASSE", "strasse"),
        ("Straße", "Straße", "strasse"),
        ("Zoe\u0308", "Zo\u00eb", "zo\u00eb"),
        ("a\x1fb", "a\x1fb", "a\x1fb"),
        ("50%_", "50%_", "50%_"),
    ],
)
def test_names(text, name, key):
    assert normal_name(text) == name
    assert name_key(text) == key


def test_names_that_are_none():
    assert name_fault(" \u200b\ufeff\u3000") == "empty_name"
    assert name_fault("a" * 200) is None
    assert name_fault("a" * 201) == "name_too_long"
    assert name_fault("a\x00") == "bad_character"
    assert normal_predicate(" Works - At ") == "works_at"


@HELD_TO_THE_MODEL
@given(histories(most=12))
def test_one_import_ends_as_its_rows_told_singly(calls):
    single, bulk = Oracle(), Oracle()
    now = FUTURE.replace(year=2100)
    outcomes = [single.call(call, now) for call in calls]
    assert bulk.import_rows(calls, now).outcomes == outcomes
    assert bulk.known() == single.known()


# --- a second model: each day of a small calendar says which attributes hold --------------------

DAYS = range(-1, 7)


def _as_days(portions):
    days = {}
    for p in portions:
        for day in DAYS:
            if (p.start is None or p.start <= day) and (p.end is None or day < p.end):
                assert day not in days, "two portions of one day"
                days[day] = p.attributes
    return days


@st.composite
def _calls(draw):
    start, end = sorted(draw(st.lists(st.integers(0, 6), min_size=2, max_size=2, unique=True)))
    start = draw(st.sampled_from([start, start, ALWAYS]))
    end = draw(st.sampled_from([end, end, None]))
    if draw(st.integers(0, 3)) == 0:
        return cut(start, end)
    attributes = draw(st.sampled_from([None, {}, X, Y]))
    other = {"object": "Port"} if draw(st.booleans()) else {}
    call = put(start, end, attributes, exclusive=draw(st.booleans()))
    return Call(**(call.__dict__ | other))


@HELD_TO_THE_MODEL
@given(st.lists(_calls(), max_size=10))
def test_a_day_at_a_time(calls):
    oracle, days = Oracle(), {"mill": {}, "port": {}}
    ever = set()
    for i, call in enumerate(calls):
        status = oracle.call(call, 100 + i).status
        mine, rival = days[call.object.lower()], days["port" if call.object == "Mill" else "mill"]
        low = -1 if call.valid_from is ALWAYS else call.valid_from
        period = [d for d in DAYS if low <= d and (call.valid_to is None or d < call.valid_to)]
        before = (dict(mine), dict(rival))
        if call.op == "unrelate":
            if status != "rejected":
                for day in period:
                    mine.pop(day, None)
            assert (status == "rejected") == (call.object not in ever)
        else:
            ever.add(call.object)
            for day in period:
                given_ = json_value(call.attributes) if call.attributes else None
                mine[day] = mine.get(day) if call.attributes is None else given_
                if call.exclusive:
                    rival.pop(day, None)
        changed = (mine, rival) != before
        assert changed == (status in {"created", "corrected", "removed"})
        known = {key.object: portions for key, portions in oracle.known().items()}
        for name, expected in days.items():
            portions = known.get(name, ())
            assert _as_days(portions) == expected
            for one, two in pairwise(portions):
                assert one.end < two.start or one.attributes != two.attributes
