"""Probes: literal tables, ties, nulls and leaks, every kind of frame; joins held to the model's."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger import Ledger, told, uid, year
from oracle import Oracle
from shorttables import load
from strategies import DAYS, FUTURE, HELD_TO_THE_MODEL, day, histories

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.schema import RESULTS

OURS = RESULTS["point_in_time"].names


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("point-in-time")
    made = mz.Store(folder / "store", create=True)
    load(
        made,
        folder,
        """from,relation,to,valid_from,valid_to,recorded_at,scope
           Ann,works_at,Mill,2019-01-01,2022-01-01,2019-02-01,
           Ann,works_at,Port,2022-01-01,,2022-02-01,
           Ann,knows,Bo,2018-01-01,,2020-01-01,personal
           Ann,knows,Cleo,2021-01-01,,2021-06-01,
           Ann,knows,Dan,2018-01-01,,2018-01-01,team
           Bo,works_at,Mill,2020-01-01,,2020-01-01,""",
        trust_recorded_at=True,
    )
    twins = folder / "twins.csv"
    twins.write_text(
        "uid,name,type\n"
        "00000000-0000-8000-a000-000000000001,Twin,person\n"
        "00000000-0000-8000-a000-000000000002,Twin,person\n"
    )
    made.import_entities(str(twins))
    return made


def joined(store, probes, **asked):
    """Join probes of (who, when[, known]) and list number, status, predicate and object."""
    wide = len(probes[0]) > 2
    columns = ["who", "when", "known"] if wide else ["who", "when"]
    frame = pl.DataFrame(probes, schema=columns, orient="row").with_row_index("n")
    if wide:
        asked["as_of"] = "known"
    found = store.point_in_time(frame, entity="who", at="when", **asked)
    return [(r["n"], r["probe_status"], r["predicate"], r["object"]) for r in found.to_dicts()]


def test_views_of_text_and_bytes_are_taken(store):
    probes = pa.table(
        {
            "who": pa.array(["Ann"], pa.string_view()),
            "when": pa.array(["2021-06-01"], pa.string_view()),
            "own": pa.array([b"x"], pa.binary_view()),
        }
    )
    found = store.point_in_time(probes, entity="who", at="when").to_pylist()
    assert [(r["who"], r["own"], r["object"]) for r in found] == [
        ("Ann", b"x", "Cleo"),
        ("Ann", b"x", "Mill"),
        ("Ann", b"x", "Bo"),
    ]


def test_one_row_per_probe_and_match_and_none_is_lost(store):
    assert joined(
        store,
        [
            ("Ann", "2021-06-01", None),
            ("ann", "2021-06-01", "2021-05-31"),
            ("Ann", "2022-01-01", "2022-01-31"),
            ("Ann", "2022-01-01", "2022-02-01"),
            ("Ann", "2017-01-01", None),
            ("Mill", "2021-01-01", None),
            ("Ann", "2021-06-01", "2019-01-31"),
        ],
    ) == [
        (0, "matched", "knows", "Cleo"),
        (0, "matched", "works_at", "Mill"),
        (0, "matched", "knows", "Bo"),
        (1, "matched", "works_at", "Mill"),
        (1, "matched", "knows", "Bo"),
        # the end of Mill was told with Mill; the new one not yet
        (2, "matched", "knows", "Cleo"),
        (2, "matched", "knows", "Bo"),
        (3, "matched", "works_at", "Port"),
        (3, "matched", "knows", "Cleo"),
        (3, "matched", "knows", "Bo"),
        (4, "no_match", None, None),
        (5, "no_match", None, None),
        (6, "no_match", None, None),
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"predicates": ["Works-At"]}, ["Mill"]),
        ({"predicates": ["knows"]}, ["Cleo", "Bo"]),
        ({"predicates": ["likes"]}, [None]),
        ({"scopes": ["team"]}, ["Dan"]),
        ({"scopes": ["project"]}, ["Cleo", "Mill"]),
        ({"exclusive": True}, ["Cleo", "Mill"]),
        ({"exclusive": True, "scopes": ["project", "personal", "team"]}, ["Cleo", "Mill"]),
        ({"exclusive": True, "predicates": ["works_at"]}, ["Mill"]),
    ],
)
def test_what_is_asked(store, asked, expected):
    found = joined(store, [("Ann", "2021-06-01")], **asked)
    assert [row[3] for row in found] == expected


def test_the_other_way(store):
    frame = pl.DataFrame({"who": ["Mill", "Bo"], "when": ["2021-01-01"] * 2})
    found = store.point_in_time(frame, entity="who", at="when", direction="incoming")
    assert found.select("who", "subject", "predicate").rows() == [
        ("Mill", "Bo", "works_at"),
        ("Mill", "Ann", "works_at"),
        ("Bo", "Ann", "knows"),
    ]


@pytest.mark.parametrize(
    ("who", "when", "known", "status"),
    [
        ("Nobody", "2021-01-01", None, "unknown_name"),
        ("00000000-0000-8000-a000-00000000000f", "2021-01-01", None, "unknown_uid"),
        ("Twin", "2021-01-01", None, "ambiguous_name"),
        ("00000000-0000-8000-a000-000000000001", "2021-01-01", None, "no_match"),
        ("entities/" + uid("ann").upper(), "2021-01-01", None, "matched"),
        (" ANN ", "2021-01-01", None, "matched"),
        (None, "2021-01-01", None, "missing_value"),
        ("", "2021-01-01", None, "missing_value"),
        ("   ", "2021-01-01", None, "empty_name"),
        ("x" * 201, "2021-01-01", None, "name_too_long"),
        ("Ann", None, None, "missing_value"),
        ("Ann", "", None, "missing_value"),
        ("Ann", "yesterday", None, "bad_instant"),
        ("Ann", "2021-02-30", None, "bad_instant"),
        ("Ann", "infinity", None, "bad_instant"),
        ("Ann", "2021-01-01", "soon", "bad_instant"),
        ("Ann", "2021-01-01", "", "matched"),
    ],
)
def test_what_cannot_be_asked_is_said_and_kept(store, who, when, known, status):
    found = joined(
        store, [("Ann", "2021-01-01", None), (who, when, known)], predicates=["works_at"]
    )
    assert [row[:2] for row in found] == [(0, "matched"), (1, status)]


def test_times_without_an_offset(store):
    probes = [("Bo", "2020-01-01T02:00:00"), ("Bo", "2019-12-31T23:00:00")]
    assert [row[1] for row in joined(store, probes)] == ["matched", "no_match"]
    assert [row[1] for row in joined(store, probes, timezone="Europe/Berlin")] == [
        "matched",
        "no_match",
    ]
    assert [row[1] for row in joined(store, probes, timezone="America/New_York")] == [
        "matched",
        "matched",
    ]


# --- the probes' own columns -------------------------------------------------------------------


def test_own_columns_stay_as_they_are(store):
    own = pa.table(
        {
            "who": pa.array(["Bo", "Ann", None]).dictionary_encode(),
            "Object": pa.array([1, 2, 3], pa.int8()),
            "when": pa.array([date(2020, 6, 1)] * 3),
            "price": pa.array([Decimal("1.10"), None, Decimal("2.00")]),
            "tags": pa.array([["a"], [], None]),
            "WHEN": pa.array([1.5, 2.5, float("inf")]),
            "version": pa.array(["v1", "v2", "v3"]),
            "relation_version": pa.array([None, None, None]),
        }
    )
    found = store.point_in_time(own, entity="who", at="when", predicates=["works_at"])
    assert found.column_names[:8] == own.column_names
    assert found.select(own.column_names).equals(own)
    assert [f.type for f in found.schema][:8] == [f.type for f in own.schema]
    titles = dict(zip(OURS, found.column_names[8:], strict=True))
    renamed = {k: v for k, v in titles.items() if k != v}
    assert renamed == {"object": "relation_object", "version": "relation_relation_version"}
    assert found["relation_object"].to_pylist() == ["Mill", "Mill", None]


WHO = ["Ann", "Bo", "Nobody"]
NAIVE = [datetime(2020, 6, 1)] * 3  # noqa: DTZ001 - read as UTC
AWARE = [datetime(2020, 6, 1, 5, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))] * 3
TEXT = ["2020-06-01T00:00:00Z"] * 3


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: pl.DataFrame({"who": WHO, "when": TEXT}), pl.DataFrame),
        (lambda: pl.DataFrame({"who": WHO, "when": NAIVE}).lazy(), pl.DataFrame),
        (
            lambda: pl.DataFrame(
                {"who": WHO, "when": NAIVE}, schema_overrides={"who": pl.Enum(WHO)}
            ),
            pl.DataFrame,
        ),
        (lambda: pa.table({"who": WHO, "when": TEXT}), pa.Table),
        (lambda: pa.table({"who": WHO, "when": pa.array(NAIVE, pa.timestamp("ns"))}), pa.Table),
        (lambda: pa.table({"who": WHO, "when": pa.array(NAIVE, pa.date32())}), pa.Table),
        (lambda: pa.record_batch({"who": WHO, "when": TEXT}), pa.Table),
        (lambda: pa.table({"who": WHO, "when": TEXT}).to_reader(), pa.Table),
        (lambda: pd.DataFrame({"who": WHO, "when": NAIVE}, index=[7, 8, 9]), pa.Table),
        (lambda: pd.DataFrame({"who": WHO, "when": AWARE}), pa.Table),
        (lambda: pd.DataFrame({"who": pd.Categorical(WHO), "when": TEXT}), pa.Table),
    ],
)
def test_every_kind_of_frame(store, make, kind):
    found = store.point_in_time(make(), entity="who", at="when", predicates=["works_at"])
    assert isinstance(found, kind)
    answer = found if isinstance(found, pa.Table) else found.to_arrow()
    assert answer["probe_status"].to_pylist() == ["matched", "matched", "unknown_name"]
    assert answer["object"].to_pylist() == ["Mill", "Mill", None]
    assert answer.column_names == ["who", "when", *OURS]


def test_a_duckdb_relation(store):
    probes = store.sql("select 'Ann' as who, timestamptz '2020-06-01 00:00:00Z' as \"when\"")
    found = store.point_in_time(probes, entity="who", at="when", predicates=["works_at"])
    assert found["object"].to_pylist() == ["Mill"]


def test_no_probes(store):
    frame = pl.DataFrame({"who": [], "when": []}, schema={"who": pl.String, "when": pl.String})
    found = store.point_in_time(frame, entity="who", at="when")
    assert found.columns == ["who", "when", *OURS]
    assert found.height == 0
    arrow = store.point_in_time(frame.to_arrow(), entity="who", at="when")
    assert [f for f in arrow.schema][2:] == list(RESULTS["point_in_time"])  # noqa: C416


def test_the_columns_are_those_of_the_schema(store):
    probes = pa.table({"who": WHO, "when": TEXT})
    for exclusive in (False, True):
        found = store.point_in_time(probes, entity="who", at="when", exclusive=exclusive)
        assert list(found.schema)[2:] == list(RESULTS["point_in_time"])


def test_files(store, tmp_path):
    csv = tmp_path / "probes.csv"
    csv.write_text('who,when,note\nAnn,2020-06-01,"a ""b"",\nc"\nBo,2020-06-01,007\n,,\n')
    found = store.point_in_time(csv, entity="who", at="when", predicates=["works_at"])
    assert found["note"].to_pylist() == ['a "b",\nc', "007", None]
    assert found["probe_status"].to_pylist() == ["matched", "matched", "missing_value"]
    parquet = tmp_path / "pro[b]es.parquet"
    pq.write_table(pa.table({"who": ["Ann"], "when": NAIVE[:1], "n": [1]}), parquet)
    found = store.point_in_time(str(parquet), entity="who", at="when", predicates=["works_at"])
    assert found["object"].to_pylist() == ["Mill"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("who,when\nAnn\n", "line 2"),
        ("who,when\nAnn,2020-01-01\nBo,2020-01-01,x\n", "line 3"),
        ("who,who\nAnn,Bo\n", "two columns"),
        ("", "no column"),
        ('who,when\n"Ann,2020-01-01\n', "no CSV"),
        ("who,day\nAnn,2020-01-01\n", "no column 'when'"),
    ],
)
def test_files_that_are_refused(store, tmp_path, text, words):
    file = tmp_path / "probes.csv"
    file.write_text(text)
    with pytest.raises(InvalidValue, match=words):
        store.point_in_time(file, entity="who", at="when")


@pytest.mark.parametrize(
    ("probes", "asked"),
    [
        ("no-such-file.csv", {}),
        ([("Ann", "2020-01-01")], {}),
        (None, {}),
        (pl.DataFrame({"who": ["Ann"]}), {}),
        (pl.DataFrame({"who": ["Ann"], "when": TEXT[:1]}), {"as_of": "known"}),
        (pl.DataFrame({"who": ["Ann"], "when": TEXT[:1]}), {"direction": "both"}),
        (
            pl.DataFrame({"who": ["Ann"], "when": TEXT[:1]}),
            {"direction": "incoming", "exclusive": True},
        ),
        (pl.DataFrame({"who": ["Ann"], "when": TEXT[:1]}), {"timezone": "Mars/Base"}),
        (pl.DataFrame({"who": [["Ann"]], "when": TEXT[:1]}), {}),
    ],
)
def test_what_is_refused(store, probes, asked):
    with pytest.raises(InvalidValue):
        store.point_in_time(probes, entity="who", at="when", **asked)


# --- ties, nulls, leaks ------------------------------------------------------------------------


def exclusive_sql(ledger, probes, name="point_in_time_exclusive"):
    ledger.put("probes_in", probes)
    return ledger.rows(f"select * from {name}('probes_in') order by n, version")


def probes_of(*rows):
    return pa.table(
        {
            "n": pa.array(range(len(rows)), pa.int64()),
            "entity_uid": pa.array([None if r[0] is None else uid(r[0]) for r in rows]),
            "at": pa.array([r[1] for r in rows], pa.timestamp("us", "UTC")),
            "as_of": pa.array([r[2] for r in rows], pa.timestamp("us", "UTC")),
        }
    )


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("count", [3, 3000])
def test_ties_have_one_winner(ledger, threads, count):
    """Of those that began together the one of the highest version; few probes and many."""
    rows = [
        (f"s{s}", "p", f"o{o}", 2000 + s % 3, None, 2001 + o % 2, None)
        for s in range(20)
        for o in range(6)
    ]
    ledger.hold(told(*rows))
    ledger.threads(threads)
    probes = probes_of(*((f"s{n % 20}", year(2003 + n % 9), None) for n in range(count)))
    expected = [(n, (n % 20) * 6 + 6) for n in range(count)]
    assert [(r["n"], r["version"]) for r in exclusive_sql(ledger, probes)] == expected
    shuffled = probes.take(pa.array(reversed(range(count))))
    assert [(r["n"], r["version"]) for r in exclusive_sql(ledger, shuffled)] == expected


@pytest.mark.parametrize("name", ["point_in_time", "point_in_time_exclusive"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_match_that_holds_null_is_a_match(ledger, name, order):
    """The latest match has null attributes: it is not passed over for an earlier one."""
    rows = [
        ("a", "p", "x", 2001, 2002, 2000, None, {"v": 42}),
        ("a", "p", "y", 2002, None, 2000, None),
        ("b", "p", "x", 2005, None, 2000, None, {"v": 9}),
    ]
    ledger.hold(told(*rows[::order]))
    whens = [year(2000), year(2001), year(2002), year(2003), None]
    probes = probes_of(*((who, when, None) for who in ("a", None, "z") for when in whens))
    found = exclusive_sql(ledger, probes, name)
    assert [r["n"] for r in found] == list(range(15))
    matched = {r["n"]: r["attributes"] for r in found if r["version"] is not None}
    assert matched == {1: str({"v": 42}), 2: None, 3: None}


def test_one_that_began_later_and_ended_does_not_hide_one_that_lives(ledger):
    ledger.hold(
        told(
            ("a", "p", "x", 2000, None, 2000, None),
            ("a", "p", "y", 2005, 2006, 2000, None),
            ("a", "q", "z", None, None, 2000, None),
        )
    )
    found = exclusive_sql(ledger, probes_of(("a", year(2005), None), ("a", year(2010), None)))
    assert [(r["n"], r["version"]) for r in found] == [(0, 2), (0, 3), (1, 1), (1, 3)]


def test_nothing_leaks(ledger):
    ledger.hold(
        told(
            ("a", "p", "x", 2000, None, 2001, 2010),
            ("a", "p", "x", 2000, 2008, 2010, None),
            ("a", "p", "y", 2008, None, 2010, None),
        )
    )
    table = [
        # at, as_of, versions
        (2009, 2009, [1]),
        (2009, 2010, [3]),
        (2009, 2000, [None]),
        (2007, 2010, [2]),
        (2008, 2012, [3]),
        (1999, 2012, [None]),
    ]
    probes = probes_of(*(("a", year(at), year(as_of)) for at, as_of, _ in table))
    for name in ("point_in_time", "point_in_time_exclusive"):
        found = exclusive_sql(ledger, probes, name)
        assert [[r["version"]] for r in found] == [versions for _, _, versions in table]


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True), data=st.data())
def test_joins_are_the_models(ledger, calls, data):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    ledger.hold(oracle)
    number = {id(v): n for n, v in enumerate(oracle.versions, start=1)}
    whos = sorted({v.key.subject for v in oracle.versions} | {"nobody"})
    known = [None, day(99), day(100), day(101), day(102), day(103), day(300)]
    probe = st.tuples(
        st.sampled_from(whos), st.sampled_from([*DAYS, FUTURE]), st.sampled_from(known)
    )
    asked = data.draw(st.lists(probe, min_size=1, max_size=12))
    general, single = [], []
    for n, (who, at, as_of) in enumerate(asked):
        live = [v for v in oracle.live(at, as_of) if v.key.subject == who]
        general += sorted((n, number[id(v)]) for v in live) or [(n, None)]
        latest = {}
        for v in sorted(live, key=lambda v: _began(v, number)):
            latest[v.key.predicate] = number[id(v)]
        single += sorted((n, version) for version in latest.values()) or [(n, None)]
    probes = probes_of(*asked)
    for threads in (1, 4):
        ledger.threads(threads)
        for name, expected in (("point_in_time", general), ("point_in_time_exclusive", single)):
            found = exclusive_sql(ledger, probes, name)
            assert [(r["n"], r["version"]) for r in found] == expected


def _began(version, number):
    start = version.portion.start or datetime.min.replace(tzinfo=UTC)
    return (start, number[id(version)])
