"""How many are live on a grid: exact at the boundaries, and held to the model's count."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from engine import rows
from hypothesis import given
from hypothesis import strategies as st
from ledger import Ledger, told
from oracle import Oracle
from shorttables import short
from strategies import HELD_TO_THE_MODEL, day, histories

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.schema import RESULTS

ACTIVITY = (
    "select * from relation_activity($start, $stop, $step, as_of := $as_of) order by at, predicate"
).replace(" at,", ' "at",')


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("activity")
    made = mz.Store(folder / "store", create=True)
    file = folder / "rows.csv"
    file.write_text(
        "from,relation,to,scope,valid_from,valid_to,recorded_at\n"
        "Ann,works_at,Mill,,2020-01-02,2020-01-04,2020-01-10\n"
        "Bo,works_at,Mill,,-infinity,2020-01-02,2020-01-10\n"
        "Cleo,works_at,Mill,personal,2020-01-03,,2020-01-11\n"
        "Dan,works_at,Mill,team,2020-01-01,,2020-01-10\n"
        "Ann,knows,Bo,,2020-01-02T00:00:00.000001Z,2020-01-03,2020-01-10\n"
        "Ann,founded,Mill,,2031-01-01,,2020-01-10\n"
    )
    made.import_relations(str(file), trust_recorded_at=True)
    return made


def counted(table):
    return [(short(row["at"]), row["predicate"], row["live"]) for row in rows(table)]


def test_exact_at_the_boundaries(store):
    found = store.activity("2020-01-01", "2020-01-04", "1d")
    assert found.schema == RESULTS["activity"]
    assert counted(found) == [
        ("2020-01-01", "works_at", 1),
        ("2020-01-02", "works_at", 1),
        ("2020-01-03", "works_at", 2),
        ("2020-01-04", "works_at", 1),
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        # knows begins a microsecond after the second instant and ends on the third
        (
            ("2020-01-02T00:00:00.000001Z", "2020-01-03T00:00:00.000001Z", "12h"),
            {"knows": [1, 1, 0], "works_at": [1, 1, 2]},
        ),
        (("2020-01-02", "2020-01-02", "1d"), {"works_at": [1]}),
        (("2019-01-01", "2022-01-01", "1 year"), {"works_at": [1, 1, 1, 1]}),
        (("2030-06-01", "2031-06-01", "6 months"), {"works_at": [1, 1, 1], "founded": [0, 0, 1]}),
        # the grid ends with the last instant that is not behind stop
        (("2020-01-01", "2020-01-03T23:00:00Z", timedelta(days=1)), {"works_at": [1, 1, 2]}),
    ],
)
def test_grids(store, asked, expected):
    found = {}
    for _, predicate, live in counted(store.activity(*asked)):
        found.setdefault(predicate, []).append(live)
    assert found == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"as_of": "2020-01-09"}, []),
        ({"as_of": "2020-01-10"}, [1]),
        ({"as_of": "2020-01-11"}, [2]),
        ({"scopes": ["project"]}, [1]),
        ({"scopes": ["project", "personal", "team"]}, [3]),
        ({"predicates": ["WORKS at"]}, [2]),
        ({"predicates": ["knows"]}, []),
    ],
)
def test_what_is_asked(store, asked, expected):
    found = store.activity("2020-01-03", "2020-01-03", "1d", **asked)
    assert [live for _, _, live in counted(found)] == expected
    assert found.schema == RESULTS["activity"]


@pytest.mark.parametrize(
    "grid",
    [
        "'2024-01-02', '2024-01-01', interval 1 day",
        "'2024-01-01', '2024-01-02', interval 0 day",
        "'2024-01-01', '2024-01-02', -interval 1 day",
    ],
)
def test_a_grid_without_an_instant_has_no_rows(store, grid):
    assert store.sql(f"from relation_activity({grid})").fetchall() == []


def test_months_do_not_drift(store):
    found = store.activity("2020-01-31", "2020-05-31", "1 month")
    assert [at for at, _, _ in counted(found)] == [
        "2020-01-31",
        "2020-02-29",
        "2020-03-31",
        "2020-04-30",
        "2020-05-31",
    ]


@pytest.mark.parametrize(
    "asked",
    [
        ("2020-01-02", "2020-01-01", "1d"),
        ("2020-01-01", "2020-01-02", "0s"),
        ("2020-01-01", "2020-01-02", "0 months"),
        ("2020-01-01", "2020-01-02", "often"),
        ("2020-01-01", "2020-01-02", timedelta(days=-1)),
        ("2000-01-01", "2020-01-01", "1s"),
        (None, "2020-01-01", "1d"),
        ("2020-01-01", None, "1d"),
    ],
)
def test_what_is_refused(store, asked):
    with pytest.raises(InvalidValue):
        store.activity(*asked)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_the_grid_is_utc_whatever_the_session(ledger, zone):
    ledger.hold(told(("a", "p", "b", 2020, None, 2020, None)))
    ledger.connection.execute(f"set TimeZone = '{zone}'")
    try:
        found = ledger.rows(
            "select epoch(\"at\") as at, live from relation_activity('2021-02-01', '2021-04-01', "
            "interval 1 month) order by all"
        )
    finally:
        ledger.connection.execute("set TimeZone = 'UTC'")
    months = [datetime(2021, month, 1, tzinfo=UTC).timestamp() for month in (2, 3, 4)]
    assert found == [{"at": month, "live": 1} for month in months]


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True), data=st.data())
def test_counts_are_the_models(ledger, calls, data):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    ledger.hold(oracle)
    start, span = data.draw(st.integers(-1, 5)), data.draw(st.integers(0, 7))
    hours = data.draw(st.sampled_from([24, 12, 36, 48, 7]))
    as_of = data.draw(st.sampled_from([None, day(99), day(100), day(101), day(102)]))
    step, stop = timedelta(hours=hours), day(start + span)
    expected = {}
    moment = day(start)
    while moment <= stop:
        expected[moment] = Counter(v.key.predicate for v in oracle.live(moment, as_of))
        moment += step
    ever = set().union(*expected.values())
    expected = [
        {"at": moment, "predicate": predicate, "live": live[predicate]}
        for moment, live in expected.items()
        for predicate in sorted(ever)
    ]
    for threads in (1, 4):
        ledger.threads(threads)
        assert (
            ledger.rows(ACTIVITY, start=day(start), stop=stop, step=step, as_of=as_of) == expected
        )
