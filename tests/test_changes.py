"""What was learned between two instants: literal tables, and a difference that replays."""

from __future__ import annotations

import pytest
from engine import rows
from hypothesis import given
from hypothesis import strategies as st
from ledger import Ledger, told, uid, year
from oracle import Oracle
from plainwords import name_key
from shorttables import load, short
from strategies import HELD_TO_THE_MODEL, day, histories

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.schema import RESULTS

CHANGES = """
    select c.*, s.name as subject, o.name as object
    from relation_changes($since, $until) as c
    join entities as s on s.entity_uid = subject_uid
    join entities as o on o.entity_uid = object_uid
    order by recorded_at, valid_from nulls first, subject, predicate, object
"""
DEV, LEAD = {"role": "dev"}, {"role": "lead"}


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


def years(instant):
    return None if instant is None else instant.year


def changed(ledger, since, until):
    found = ledger.rows(CHANGES, since=year(since), until=year(until))
    return [(r["change"], r["object"], years(r["valid_from"]), years(r["valid_to"])) for r in found]


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        # since is out, until is in
        ([("a", "p", "b", 1990, None, 2010, None)], []),
        ([("a", "p", "b", 1990, None, 2011, None)], [("created", "b", 1990, None)]),
        ([("a", "p", "b", 1990, None, 2020, None)], [("created", "b", 1990, None)]),
        ([("a", "p", "b", 1990, None, 2021, None)], []),
        ([("a", "p", "b", None, None, 2015, None)], [("created", "b", None, None)]),
        # an open period got its end
        (
            [("a", "p", "b", 1990, None, 2005, 2015), ("a", "p", "b", 1990, 2012, 2015, None)],
            [("ended", "b", 2012, None)],
        ),
        # a told end moved earlier, or later; a start moved
        (
            [("a", "p", "b", 1990, 2014, 2005, 2015), ("a", "p", "b", 1990, 2012, 2015, None)],
            [("corrected", "b", 2012, 2014)],
        ),
        (
            [("a", "p", "b", 1990, 2014, 2005, 2015), ("a", "p", "b", 1990, 2016, 2015, None)],
            [("corrected", "b", 2014, 2016)],
        ),
        (
            [("a", "p", "b", 1990, None, 2005, 2015), ("a", "p", "b", 1980, None, 2015, None)],
            [("corrected", "b", 1980, 1990)],
        ),
        (
            [("a", "p", "b", 1990, None, 2005, 2015), ("a", "p", "b", 1995, None, 2015, None)],
            [("corrected", "b", 1990, 1995)],
        ),
        # other attributes; the part written again because of its neighbour is no change
        (
            [
                ("a", "p", "b", 1990, None, 2005, 2015, DEV),
                ("a", "p", "b", 1990, 2000, 2015, None, DEV),
                ("a", "p", "b", 2000, None, 2015, None, LEAD),
            ],
            [("corrected", "b", 2000, None)],
        ),
        # a second stint, apart from the first or meeting it with other attributes
        (
            [("a", "p", "b", 1990, 1995, 2005, None), ("a", "p", "b", 2000, None, 2015, None)],
            [("created", "b", 2000, None)],
        ),
        # a cut in the middle
        (
            [
                ("a", "p", "b", 1990, None, 2005, 2015),
                ("a", "p", "b", 1990, 1995, 2015, None),
                ("a", "p", "b", 1999, None, 2015, None),
            ],
            [("corrected", "b", 1995, 1999)],
        ),
        # recorded in error
        (
            [("a", "p", "b", 1990, None, 2005, 2015, "retract")],
            [("retracted", "b", 1990, None)],
        ),
        # a removal that is none
        ([("a", "p", "b", 1990, None, 2005, 2015)], [("ended", "b", 1990, None)]),
        # learned and taken back in between
        ([("a", "p", "b", 1990, None, 2012, 2015, "retract")], []),
        # taken back later than asked
        ([("a", "p", "b", 1990, None, 2012, 2025, "retract")], [("created", "b", 1990, None)]),
        # written again twice in between, and the same in the end
        (
            [
                ("a", "p", "b", 1990, None, 2005, 2012, DEV),
                ("a", "p", "b", 1990, None, 2012, 2015, LEAD),
                ("a", "p", "b", 1990, None, 2015, None, DEV),
            ],
            [],
        ),
        # another one holds its place
        (
            [
                ("a", "p", "b", 1990, None, 2005, 2015),
                ("a", "p", "b", 1990, 2012, 2015, None),
                ("a", "p", "c", 2012, None, 2015, None),
            ],
            [("ended", "b", 2012, None), ("created", "c", 2012, None)],
        ),
    ],
)
def test_changes(ledger, versions, expected):
    ledger.hold(told(*versions))
    assert changed(ledger, 2010, 2020) == expected


def test_both_ends_may_be_left_out(ledger):
    ledger.hold(
        told(("a", "p", "b", 1990, None, 2005, 2015), ("a", "p", "b", 1990, 2012, 2015, None))
    )
    assert changed(ledger, None, None) == [("created", "b", 1990, 2012)]
    assert changed(ledger, None, 2005) == [("created", "b", 1990, None)]
    assert changed(ledger, 2005, None) == [("ended", "b", 2012, None)]
    assert changed(ledger, 2015, None) == []


def test_before_and_after(ledger):
    ledger.hold(
        told(
            ("a", "p", "b", 1990, None, 2005, 2015, DEV),
            ("a", "p", "b", 1990, 2000, 2015, None, DEV),
            ("a", "p", "b", 2000, None, 2015, None, LEAD),
        )
    )
    (row,) = ledger.rows(CHANGES, since=year(2010), until=year(2020))
    assert (row["known_before"], row["known_after"]) == (True, True)
    assert (row["attributes_before"], row["attributes_after"]) == (str(DEV), str(LEAD))
    assert (row["version_before"], row["version_after"]) == (1, 3)
    assert row["recorded_at"] == year(2015)
    assert row["subject_uid"] == uid("a")


# --- it replays --------------------------------------------------------------------------------


def low(start):
    return (0,) if start is None else (1, start)


def high(end):
    return (2,) if end is None else (1, end)


def state_of(oracle, as_of):
    """Give what is known of each relation: start, end, attributes; without where it came from."""
    return {
        key: [(p.start, p.end, None if p.attributes is None else str(p.attributes)) for p in parts]
        for key, parts in oracle.known(as_of).items()
        if parts
    }


def replayed(state, found):
    """Put changes to a state."""
    after = {key: list(parts) for key, parts in state.items()}
    for row in found:
        key = (row["scope"], name_key(row["subject"]), row["predicate"], name_key(row["object"]))
        start, end = row["valid_from"], row["valid_to"]
        rest = []
        for f, t, attributes in after.get(key, []):
            overlaps = low(f) < high(end) and low(start) < high(t)
            assert not overlaps or row["known_before"]
            if not overlaps:
                rest.append((f, t, attributes))
                continue
            assert attributes == row["attributes_before"]
            if low(f) < low(start):
                rest.append((f, start, attributes))
            if high(end) < high(t):
                rest.append((end, t, attributes))
        if row["known_after"]:
            rest.append((start, end, row["attributes_after"]))
        after[key] = rest
    return merged(after)


def merged(state):
    answer = {}
    for key, parts in state.items():
        joined = []
        for f, t, attributes in sorted(parts, key=lambda p: low(p[0])):
            if joined and joined[-1][1] == f and joined[-1][2] == attributes and f is not None:
                joined[-1] = (joined[-1][0], t, attributes)
            else:
                joined.append((f, t, attributes))
        if joined:
            answer[tuple(key)] = joined
    return answer


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True), data=st.data())
def test_the_state_before_and_the_changes_give_the_state_after(ledger, calls, data):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    ledger.hold(oracle)
    moments = [None, day(99), day(100), day(101), day(102), day(103), day(200), day(300)]
    first, middle, last = sorted(
        data.draw(st.lists(st.sampled_from(moments), min_size=3, max_size=3)), key=low
    )
    for since, until in ((first, middle), (middle, last), (first, last)):
        found = ledger.rows(CHANGES, since=since, until=until or day(-10_000))
        before = {} if since is None else state_of(oracle, since)
        after = {} if until is None else state_of(oracle, until)
        assert replayed(before, found) == merged(after)
        for row in found:  # nothing is repeated that is the same
            assert (row["known_before"], row["attributes_before"]) != (
                row["known_after"],
                row["attributes_after"],
            )


# --- the verb ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changes")
    made = mz.Store(folder / "store", create=True)
    load(
        made,
        folder,
        """from,relation,to,valid_from,valid_to,recorded_at,source_event_uid,scope,op
           Jeff,works_at,Acme,2019-01-01,,2020-01-01,e1,,
           Jeff,knows,Ann,2019-01-01,,2020-01-01,,team,
           Jeff,works_at,Acme,2022-03-01,,2022-03-05,,,unrelate
           Jeff,works_at,Mill,2022-03-01,,2022-03-05,e2,,
           Ann,works_at,Mill,2020-01-01,,2022-04-01,e3,,
           Ann,works_at,Mill,,,2022-05-01,,,retract""",
        trust_recorded_at=True,
    )
    return made


def listed(table):
    assert table.schema == RESULTS["changes"]
    return [
        (r["change"], r["subject"], r["object"], short(r["valid_from"]), short(r["valid_to"]))
        for r in rows(table)
    ]


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (None, "2020-01-01", [("created", "Jeff", "Acme", "2019-01-01", None)]),
        (None, "2019-12-31", []),
        (
            "2020-01-01",
            "2022-03-31",
            [
                ("created", "Jeff", "Mill", "2022-03-01", None),
                ("ended", "Jeff", "Acme", "2022-03-01", None),
            ],
        ),
        ("2022-03-05", "2022-04-15", [("created", "Ann", "Mill", "2020-01-01", None)]),
        ("2022-04-01", None, [("retracted", "Ann", "Mill", "2020-01-01", None)]),
        ("2022-03-05", None, []),
        ("2022-05-01", "2022-05-01", []),
    ],
)
def test_the_verb(store, since, until, expected):
    assert sorted(listed(store.changes(since, until))) == sorted(expected)


def test_scopes_and_predicates(store):
    assert len(store.changes(None, "2020-01-01", scopes=["project", "personal", "team"])) == 2
    assert len(store.changes(None, "2020-01-01", scopes=["team"], predicates=["works at"])) == 0


def test_where_it_came_from(store):
    (row,) = rows(store.changes("2022-03-05", "2022-04-01"))
    assert (row["source_event_uid"], short(row["recorded_at"])) == ("e3", "2022-04-01")


def test_the_later_instant_first_is_refused(store):
    with pytest.raises(InvalidValue, match="before since"):
        store.changes("2022-01-01", "2021-01-01")
