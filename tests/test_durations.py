"""The views of durations and holders, and contradictions: literal tables."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from ledger import Ledger, told, uid, year
from oracle import Oracle
from strategies import DAYS, HELD_TO_THE_MODEL, day, histories

DAY = 86_400


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


def years(row, *columns):
    return [None if row[c] is None else row[c].year for c in columns]


@pytest.mark.parametrize(
    ("versions", "stints"),
    [
        # number, from, to, days of the gap before
        ([("a", "p", "b", 2001, 2002, 2000, None)], [(1, 2001, 2002, None)]),
        ([("a", "p", "b", None, None, 2000, None)], [(1, None, None, None)]),
        # touching periods are one stint, whatever their attributes
        (
            [
                ("a", "p", "b", 2001, 2002, 2000, None, {"role": "dev"}),
                ("a", "p", "b", 2002, None, 2000, None, {"role": "lead"}),
            ],
            [(1, 2001, None, None)],
        ),
        (
            [
                ("a", "p", "b", 2006, None, 2000, None),
                ("a", "p", "b", None, 2001, 2000, None),
                ("a", "p", "b", 2002, 2003, 2000, None),
            ],
            [(1, None, 2001, None), (2, 2002, 2003, 365), (3, 2006, None, 1096)],
        ),
        # what was superseded does not count
        (
            [("a", "p", "b", 2001, None, 2000, 2003), ("a", "p", "b", 2001, 2002, 2003, None)],
            [(1, 2001, 2002, None)],
        ),
        ([("a", "p", "b", 2001, None, 2000, 2003, "retract")], []),
    ],
)
def test_stints(ledger, versions, stints):
    ledger.hold(told(*versions))
    found = ledger.rows("select * from relation_stints order by stint")
    assert [
        (
            row["stint"],
            *years(row, "valid_from", "valid_to"),
            None if row["gap_seconds"] is None else row["gap_seconds"] / DAY,
        )
        for row in found
    ] == stints


def test_durations(ledger):
    ledger.hold(
        told(
            ("a", "p", "b", 2001, 2002, 2000, None),
            ("a", "p", "b", 2003, 2004, 2000, None),
            ("a", "p", "b", 2006, 2007, 2000, None),
            ("a", "p", "always", None, 2007, 2000, None),
            ("a", "p", "since", 2020, None, 2000, None),
            ("a", "p", "later", 2190, None, 2000, None),
        )
    )
    found = {row["object"]: row for row in ledger.rows("select * from relation_durations")}
    three = found["b"]
    assert (three["subject"], three["stints"]) == ("a", 3)
    assert years(three, "valid_from", "valid_to") == [2001, 2007]
    assert three["valid_seconds"] == 3 * 365 * DAY
    assert three["gap_seconds"] == (365 + 731) * DAY
    assert three["longest_gap_seconds"] == 731 * DAY
    assert found["always"]["valid_seconds"] is None
    assert years(found["always"], "valid_from", "valid_to") == [None, 2007]
    elapsed = (datetime.now(UTC) - year(2020)).total_seconds()
    assert abs(found["since"]["valid_seconds"] - elapsed) < 60
    assert found["since"]["longest_gap_seconds"] is None
    assert found["later"]["valid_seconds"] == 0


def test_holders(ledger):
    ledger.hold(
        told(
            ("a", "leads", "x", 2000, 2010, 2000, None),
            ("b", "leads", "x", 2005, 2010, 2000, None),
            ("c", "leads", "x", 2010, 2012, 2000, None),
            ("d", "leads", "x", 2015, None, 2000, None),
            ("e", "leads", "x", None, 2000, 2000, None),
            ("f", "leads", "x", 2001, 2002, 2000, 2003, "retract"),
            ("a", "leads", "y", 2000, None, 2000, None),
        )
    )
    found = ledger.rows("select * from relation_holders order by object, valid_from nulls first")
    assert [(r["object"], *years(r, "valid_from", "valid_to"), r["holders"]) for r in found] == [
        ("x", None, 2005, 1),
        ("x", 2005, 2010, 2),
        ("x", 2010, 2012, 1),
        ("x", 2015, None, 1),
        ("y", 2000, None, 1),
    ]


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True))
def test_holders_are_the_models(ledger, calls):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    ledger.hold(oracle)
    found = ledger.rows("select * from relation_holders")
    for at in DAYS:
        expected = {}
        for v in oracle.live(at):
            what = (v.key.scope, v.key.predicate, v.key.object)
            expected[what] = expected.get(what, 0) + 1
        assert expected == {
            (r["scope"], r["predicate"], r["object"]): r["holders"]
            for r in found
            if (r["valid_from"] is None or r["valid_from"] <= at)
            and (r["valid_to"] is None or at < r["valid_to"])
        }


@pytest.mark.parametrize(
    ("predicate", "at", "as_of", "expected"),
    [
        ("works_at", 2006, None, [("a", ["x", "y"])]),
        ("works_at", 2004, None, []),
        ("works_at", 2010, None, []),
        ("works_at", 2006, 2000, []),
        ("knows", 2006, None, [("a", ["x", "y", "z"])]),
        (None, 2006, None, [("a", ["x", "y", "z"]), ("a", ["x", "y"])]),
        ("likes", 2006, None, []),
    ],
)
def test_contradictions(ledger, predicate, at, as_of, expected):
    ledger.hold(
        told(
            ("a", "works_at", "x", 2000, 2010, 2000, None),
            ("a", "works_at", "y", 2005, None, 2001, None),
            ("b", "works_at", "x", 2000, None, 2000, None),
            ("a", "knows", "x", 2000, None, 2001, None),
            ("a", "knows", "y", 2000, None, 2001, None),
            ("a", "knows", "z", 2000, None, 2001, None),
        )
    )
    found = ledger.rows(
        "select * from relation_contradictions($predicate, $at, $as_of) order by predicate",
        predicate=predicate,
        at=year(at),
        as_of=year(as_of),
    )
    assert [(r["subject"], sorted(r["object_names"])) for r in found] == expected
    for row in found:
        assert row["objects"] == len(row["object_uids"])
        assert row["object_uids"] == sorted(uid(name) for name in row["object_names"])


@pytest.mark.parametrize("name", ["relation_stints", "relation_durations", "relation_holders"])
def test_nothing_is_held(ledger, name):
    ledger.hold([])
    assert ledger.rows(f"select * from {name}") == []
    assert ledger.rows("select * from relation_contradictions(null, null, null)") == []
