"""Who is reachable: literal graphs, and walks held to the model's."""

from __future__ import annotations

import random

import pytest
from engine import rows
from hypothesis import given
from hypothesis import strategies as st
from ledger import Ledger, told, uid, year
from oracle import Oracle
from strategies import DAYS, FUTURE, HELD_TO_THE_MODEL, day, histories

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue, UnknownEntity
from mazarbul_analytics.schema import RESULTS

NEIGHBORS = (
    "select n.*, e.name from neighbors_of($uid, $at, $as_of, $depth, direction := $direction) as n "
    "join entities as e using (entity_uid) order by distance, name"
)


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


def reached(ledger, start, depth, direction="both", at=None, as_of=None):
    found = ledger.rows(
        NEIGHBORS, uid=uid(start), at=at, as_of=as_of, depth=depth, direction=direction
    )
    assert len({row["entity_uid"] for row in found}) == len(found)
    return {row["name"]: row["distance"] for row in found}


def edges(*pairs):
    return told(*((a, "knows", b, 2020, None, 2020, None) for a, b in pairs))


@pytest.mark.parametrize(
    ("graph", "depth", "direction", "expected"),
    [
        # a chain
        ("ab bc cd de ef", 1, "both", {"b": 1}),
        ("ab bc cd de ef", 3, "both", {"b": 1, "c": 2, "d": 3}),
        ("ab bc cd de ef", 4, "both", {"b": 1, "c": 2, "d": 3, "e": 4}),
        ("ab bc cd de ef", 99, "both", {"b": 1, "c": 2, "d": 3, "e": 4, "f": 5}),
        # the way of an edge
        ("ab cb cd", 9, "outgoing", {"b": 1}),
        ("ba bc ca", 9, "incoming", {"b": 1, "c": 1}),
        ("ab cb cd", 9, "both", {"b": 1, "c": 2, "d": 3}),
        # cycles end, the start is not reached again
        ("ab ba", 50, "outgoing", {"b": 1}),
        ("ab bc cd de ea", 50, "outgoing", {"b": 1, "c": 2, "d": 3, "e": 4}),
        ("ab bc cd de ea", 50, "both", {"b": 1, "e": 1, "c": 2, "d": 2}),
        # back edges to every earlier distance, behind the steps that are written out
        (
            "ab bc cd de ef fa fb fc fg",
            50,
            "outgoing",
            {"b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6},
        ),
        # the shorter way counts
        ("ab bc cd ad de", 9, "outgoing", {"b": 1, "d": 1, "c": 2, "e": 2}),
        # another component
        ("ab cd", 9, "both", {"b": 1}),
    ],
)
def test_reached(ledger, graph, depth, direction, expected):
    ledger.hold(edges(*graph.split()))
    assert reached(ledger, "a", depth, direction) == expected


def test_only_what_is_live_at_both_instants(ledger):
    ledger.hold(
        told(
            ("a", "knows", "b", 2000, 2010, 2001, 2015),
            ("a", "knows", "c", 2005, None, 2011, None),
        )
    )
    table = [
        # at, as_of, reached
        (2004, 2001, {"b": 1}),
        (2006, 2010, {"b": 1}),
        (2006, 2011, {"b": 1, "c": 1}),
        (2010, 2014, {"c": 1}),
        (2006, 2015, {"c": 1}),
        (2006, 2000, {}),
        (1999, 2014, {}),
    ]
    for at, as_of, expected in table:
        assert reached(ledger, "a", 3, at=year(at), as_of=year(as_of)) == expected


def test_of_several_shortest_paths_the_one_that_sorts_first(ledger):
    ledger.hold(edges("ax", "ay", "xz", "yz"))
    middle = min(uid("x"), uid("y"))
    for threads in (1, 4):
        ledger.threads(threads)
        found = ledger.rows(NEIGHBORS, uid=uid("a"), at=None, as_of=None, depth=2, direction="both")
        assert found[-1]["path"] == [uid("a"), middle, uid("z")]
        assert len(found[-1]["steps"]) == 2


def test_a_hub(ledger):
    spokes = edges(*(("hub", f"spoke {n}") for n in range(5000)))
    ledger.hold([*spokes, *edges(("spoke 7", "end"), ("end", "spoke 8"))])
    found = reached(ledger, "end", 3)
    assert found.pop("hub") == 2
    assert (found.pop("spoke 7"), found.pop("spoke 8")) == (1, 1)
    assert len(found) == 4998
    assert set(found.values()) == {3}


def walked(oracle, start, depth, direction, at, as_of):
    """Do the same walk slowly, over the versions that the model says are live."""
    near = {}
    for version in oracle.live(at, as_of):
        if direction != "incoming":
            near.setdefault(version.key.subject, set()).add(version.key.object)
        if direction != "outgoing":
            near.setdefault(version.key.object, set()).add(version.key.subject)
    distances, frontier = {start: 0}, [start]
    while frontier:
        ahead = []
        for name in frontier:
            for other in near.get(name, ()):
                if other not in distances and distances[name] < depth:
                    distances[other] = distances[name] + 1
                    ahead.append(other)
        frontier = ahead
    del distances[start]
    return distances


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True), data=st.data())
def test_walks_are_the_models(ledger, calls, data):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    if not oracle.versions:
        return
    ledger.hold(oracle)
    for direction in ("outgoing", "incoming", "both"):
        start = data.draw(st.sampled_from(sorted({v.key.subject for v in oracle.versions})))
        at = data.draw(st.sampled_from([*DAYS, FUTURE]))
        as_of = data.draw(st.sampled_from([day(100), day(101), day(102), day(300)]))
        depth = data.draw(st.integers(1, 6))
        assert reached(ledger, start, depth, direction, at, as_of) == walked(
            oracle, start, depth, direction, at, as_of
        )


@pytest.mark.parametrize("seed", range(4))
def test_deep_walks_of_sparse_graphs(ledger, seed):
    rng = random.Random(seed)
    pairs = {tuple(rng.sample(range(60), 2)) for _ in range(70)}
    oracle = Oracle()
    oracle.versions = edges(*((f"n{a}", f"n{b}") for a, b in sorted(pairs)))
    ledger.hold(oracle)
    start = f"n{min(pairs)[0]}"
    for direction in ("outgoing", "incoming", "both"):
        for depth in (2, 3, 4, 5, 40):
            assert reached(ledger, start, depth, direction) == walked(
                oracle, start, depth, direction, year(2021), year(2021)
            )


# --- the verb ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("neighbors")
    made = mz.Store(folder / "store", create=True)
    file = folder / "rows.csv"
    file.write_text(
        "from,relation,to,scope,valid_from,valid_to\n"
        "Ann,works_at,Mill,,2019-01-01,2021-01-01\n"
        "Bo,works_at,Mill,,2019-01-01,\n"
        "Bo,knows,Cleo,personal,2019-01-01,\n"
        "Cleo,knows,Dan,team,2019-01-01,\n"
    )
    made.import_relations(str(file))
    return made


def names_of(table):
    return [(row["entity"], row["distance"]) for row in rows(table)]


def test_the_verb(store):
    found = store.neighbors("ann", depth=3, at="2020-01-01")
    assert found.schema == RESULTS["neighbors"]
    assert names_of(found) == [("Mill", 1), ("Bo", 2), ("Cleo", 3)]
    last = rows(found)[-1]
    assert last["path"] == ["Ann", "Mill", "Bo", "Cleo"]
    assert last["path_uids"][-1] == last["entity_uid"]
    assert len(last["relation_uids"]) == 3
    assert last["entity_type"] == "person"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"at": "2021-01-01"}, []),
        ({}, []),
        ({"at": "2020-01-01", "as_of": "2020-06-01"}, []),
        ({"at": "2020-01-01", "depth": 1}, [("Mill", 1)]),
        ({"at": "2020-01-01"}, [("Mill", 1), ("Bo", 2)]),
        ({"at": "2020-01-01", "direction": "outgoing"}, [("Mill", 1)]),
        ({"at": "2020-01-01", "direction": "incoming"}, []),
        ({"at": "2020-01-01", "depth": 9, "predicates": ["Works At"]}, [("Mill", 1), ("Bo", 2)]),
        (
            {"at": "2020-01-01", "depth": 9, "scopes": ["project", "personal", "team"]},
            [("Mill", 1), ("Bo", 2), ("Cleo", 3), ("Dan", 4)],
        ),
    ],
)
def test_what_is_asked(store, asked, expected):
    found = store.neighbors("Ann", **asked)
    assert found.schema == RESULTS["neighbors"]
    assert names_of(found) == expected


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"depth": 0}, InvalidValue),
        ({"depth": True}, InvalidValue),
        ({"depth": 1.5}, InvalidValue),
        ({"direction": "sideways"}, InvalidValue),
        ({"predicates": "knows"}, InvalidValue),
        ({"at": "2020-01-01T10:00:00"}, InvalidValue),
    ],
)
def test_what_is_refused(store, asked, error):
    with pytest.raises(error):
        store.neighbors("Ann", **asked)


def test_an_unknown_name(store):
    with pytest.raises(UnknownEntity):
        store.neighbors("Nobody")
