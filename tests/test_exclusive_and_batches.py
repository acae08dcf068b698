"""Exclusive writes, rows of one import, and history given by its source, as literal tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from engine import counts, import_rows, rejects, rows, tell
from oracle import Call
from shorttables import current, load, newest_instant, short

import mazarbul_analytics as mz

DEV = {"role": "dev"}


@pytest.fixture
def store(tmp_path):
    return mz.Store(str(tmp_path / "store"), create=True)


# --- exclusive ---------------------------------------------------------------------------------

OLD, NEW = "Tin Mine", "Rope Works"


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        # a new employer from March ends the old one in March
        (("2019-01-01", None), ("2022-03-01", None), [("2019-01-01", "2022-03-01")]),
        # a corrected past employer carves its years out
        (
            ("2010-01-01", None),
            ("2014-01-01", "2016-01-01"),
            [("2010-01-01", "2014-01-01"), ("2016-01-01", None)],
        ),
        (("2010-01-01", None), ("2005-01-01", "2012-01-01"), [("2012-01-01", None)]),
        (("2010-01-01", "2020-01-01"), ("2009-01-01", None), []),
        (("2010-01-01", "2020-01-01"), ("2010-01-01", "2020-01-01"), []),
        # touching is not overlapping
        (("2010-01-01", "2011-01-01"), ("2011-01-01", None), [("2010-01-01", "2011-01-01")]),
        (("2010-01-01", None), ("2001-01-01", "2010-01-01"), [("2010-01-01", None)]),
    ],
)  # fmt: skip
def test_an_exclusive_write_takes_its_period_from_every_other_object(store, old, new, left):
    store.relate("Ines", "works_at", OLD, valid_from=old[0], valid_to=old[1], attributes=DEV,
                 source_event_uid="first")  # fmt: skip
    before = newest_instant(store).isoformat()
    period = {"valid_from": new[0], "valid_to": new[1]}
    done = store.relate("Ines", "Works-At", NEW, exclusive=True, **period)
    assert done.status == ("created" if left == [old] else "corrected")
    found = current(store, "Ines")
    assert [(start, end) for name, start, end in found if name == OLD] == left
    assert [(start, end) for name, start, end in found if name == NEW] == [new]
    kept = [row for row in rows(store.history("Ines"))
            if row["object"] == OLD and row["superseded_at"] is None]  # fmt: skip
    assert {(row["attributes"], row["source_event_uid"]) for row in kept} <= {
        ('{"role":"dev"}', "first")
    }
    assert current(store, "Ines", as_of=before) == [(OLD, *old)]
    assert store.relate("ines", "works_at", NEW, exclusive=True, **period).status == "duplicate"


def test_exclusive_is_decided_by_scope_subject_and_predicate(store):
    store.relate("Ines", "works_at", OLD, valid_from="2019-01-01")
    for more in ({"scope": "team"}, {"subject": "Olaf"}, {"predicate": "advises"}):
        call = {"subject": "Ines", "predicate": "works_at", "object": NEW} | more
        args = [call.pop(name) for name in ("subject", "predicate", "object")]
        done = store.relate(*args, valid_from="2019-01-01", exclusive=True, **call)
        assert done.status == "created"
    # known as it is, but a rival is current in the period
    store.relate("Olaf", "works_at", OLD, valid_from="2020-01-01", valid_to="2021-01-01")
    done = store.relate("Olaf", "works_at", NEW, valid_from="2019-01-01", exclusive=True)
    assert done.status == "corrected"
    assert current(store, "Olaf") == [(NEW, "2019-01-01", None)]


# --- what a merged or cut period keeps ----------------------------------------------------------

# years, attributes (None: not given, "-": none), event; then what is known after all of them
IN_TURN = {
    "met by the same": (
        [(1, 3, "x", "a"), (3, 5, "x", None)],
        [(1, 5, "x", "a")],
    ),
    "met by the same, with an event": (
        [(1, 3, "x", "a"), (3, 5, "x", "b")],
        [(1, 5, "x", "b")],
    ),
    "met from before": (
        [(3, 5, "x", "a"), (1, 3, "x", None)],
        [(1, 5, "x", "a")],
    ),
    "covered by more": (
        [(3, 4, "x", "a"), (1, 6, "x", None)],
        [(1, 6, "x", "a")],
    ),
    "two joined": (
        [(1, 3, "x", "a"), (5, 7, "x", "b"), (2, 6, "x", None)],
        [(1, 7, "x", "a")],
    ),
    "two joined, told the other way round": (
        [(5, 7, "x", "b"), (1, 3, "x", "a"), (3, 5, "x", None)],
        [(1, 7, "x", "a")],
    ),
    "another in between is replaced": (
        [(1, 3, "x", "a"), (3, 5, "y", "b"), (2, 6, "x", None)],
        [(1, 6, "x", "a")],
    ),
    "other attributes, no event": (
        [(1, 9, "x", "a"), (3, 5, "y", None)],
        [(1, 3, "x", "a"), (3, 5, "y", None), (5, 9, "x", "a")],
    ),
    "none is not the same as not given": (
        [(1, 9, "x", "a"), (3, 5, "-", None), (5, 6, None, "c")],
        [(1, 3, "x", "a"), (3, 5, "-", None), (5, 9, "x", "a")],
    ),
    "the unknown part is filled with none": (
        [(3, 4, "x", "a"), (1, 6, None, "b")],
        [(1, 3, "-", "b"), (3, 4, "x", "a"), (4, 6, "-", "b")],
    ),
    "filled up to a part without attributes": (
        [(3, 4, "-", "a"), (4, 5, "x", "b"), (1, 7, None, None)],
        [(1, 4, "-", "a"), (4, 5, "x", "b"), (5, 7, "-", None)],
    ),
    "known over two parts that differ": (
        [(1, 3, "x", "a"), (3, 5, "y", "b"), (2, 5, None, "c")],
        [(1, 3, "x", "a"), (3, 5, "y", "b")],
    ),
}
_ATTRIBUTES = {None: None, "-": {}, "x": {"x": 1}, "y": {"y": 1}}


@pytest.mark.parametrize("bulk", [False, True], ids=["single calls", "one import"])
def test_which_attributes_and_event_a_period_keeps(store, tmp_path, bulk):
    calls = [
        Call(
            "relate",
            "Ines",
            "visits",
            case,
            datetime(2000 + start, 1, 1, tzinfo=UTC),
            datetime(2000 + end, 1, 1, tzinfo=UTC),
            attributes=_ATTRIBUTES[attributes],
            event=event,
        )
        for case, (told, _) in IN_TURN.items()
        for start, end, attributes, event in told
    ]
    if bulk:
        import_rows(store, tmp_path / "rows.csv", calls)
    else:
        for call in calls:
            tell(store, call)
    found = {case: [] for case in IN_TURN}
    names = {None: "-", '{"x":1}': "x", '{"y":1}': "y"}
    for row in sorted(rows(store.history("Ines")), key=lambda row: row["valid_from"]):
        if row["superseded_at"] is None:
            years = (row["valid_from"].year - 2000, row["valid_to"].year - 2000)
            version = (*years, names[row["attributes"]], row["source_event_uid"])
            found[row["object"]].append(version)
    assert found == {case: known for case, (_, known) in IN_TURN.items()}


# --- a batch, and history given by its source ----------------------------------------------------


def test_rows_of_one_import_are_judged_in_turn(store, tmp_path):
    report = load(
        store,
        tmp_path,
        """
        from, predicate, to, valid_from, valid_to, source_event_uid, op
        Ines, works_at, Acme, 2019-01-01, , a,
        Ines, works_at, Acme, 2020-01-01, 2021-01-01, b,
        Ines, works_at, Bell, 2022-01-01, , c,
        Ines, works_at, ines, 2022-01-01, , d,
        Ines, works_at, Acme, 2023-01-01, 2022-01-01, e,
        Ines, works_at, Cork, , , f, unrelate
        Ines, works_at, Bell, 2024-01-01, , g, unrelate
        Ines, works_at, Bell, 2030-01-01, , h, unrelate
        """,
        exclusive=["works_at"],
    )
    assert counts(report) == {
        "created": 1, "duplicate": 1, "corrected": 1, "removed": 1, "unchanged": 1, "rejected": 3,
    }  # fmt: skip
    assert rejects(report) == [(5, "self_reference"), (6, "empty_period"), (7, "unknown_relation")]
    # what is born and superseded in one commit is not written
    found = rows(store.history("Ines"))
    assert {row["superseded_at"] for row in found} == {None}
    assert current(store, "Ines") == [
        ("Acme", "2019-01-01", "2022-01-01"),
        ("Bell", "2022-01-01", "2024-01-01"),
    ]
    assert len({row["recorded_at"] for row in found}) == 1


def test_later_rows_win_within_one_instant(store, tmp_path):
    text = """
        from, predicate, to, valid_from, attributes, recorded_at
        Ines, rank, Mate, 2020-01-01, {"n":1}, 2023-04-01T08:00:00.25Z
        Ines, rank, Mate, 2020-01-01, {"n":2}, 2023-04-01T10:00:00.250+02:00
        Ines, rank, Mate, 2020-01-01, {"n":3}, 2023-04-01T07:59:59Z
        """.replace('{"n":', '"{""n"":').replace("}", '}"')
    report = load(store, tmp_path, text, trust_recorded_at=True)
    assert counts(report) == {"created": 1, "corrected": 2}
    found = [(r["attributes"], short(r["recorded_at"]), short(r["superseded_at"]))
             for r in rows(store.history("Ines"))]  # fmt: skip
    assert sorted(found) == [
        ('{"n":2}', "2023-04-01T08:00:00.250000Z", None),
        ('{"n":3}', "2023-04-01T07:59:59Z", "2023-04-01T08:00:00.250000Z"),
    ]


def test_an_answer_once_given_does_not_change(store, tmp_path):
    head = "from, predicate, to, valid_from, recorded_at, op\n"
    options = {"exclusive": ["rank"], "trust_recorded_at": True}
    first = load(store, tmp_path, head + "Ines, rank, Mate, 2020-01-01, 2024-01-01,", **options)
    assert counts(first) == {"created": 1}
    second = load(
        store,
        tmp_path,
        head
        + """
        Ines, rank, Cook, 2020-01-01, 2022-01-01,
        Ines, rank, Mate, 2020-01-01, 2024-01-01,
        Ines, rank, Mate, 2021-01-01, 2025-01-01,
        Ines, rank, Mate, 2020-01-01, 2023-01-01, unrelate
        Ines, rank, Mate, 2021-01-01, 2024-01-01, unrelate
        Ines, rank, Pilot, 2020-01-01, 2190-01-01,
        Ines, rank, Pilot, 2026-01-01, 2026-01-01,
        Olaf, rank, Cook, 2020-01-01, 2022-01-01,
        """.lstrip(),
        **options,
    )
    assert counts(second) == {
        "created": 1, "duplicate": 2, "corrected": 1, "unchanged": 1, "rejected": 3,
    }  # fmt: skip
    assert rejects(second) == [(2, "backdated"), (6, "backdated"), (7, "future_recorded_at")]
    assert current(store, "Ines", as_of="2025-06-01") == [("Mate", "2020-01-01", None)]
    assert current(store, "Ines") == [
        ("Mate", "2020-01-01", "2026-01-01"),
        ("Pilot", "2026-01-01", None),
    ]
    assert current(store, "Olaf", as_of="2022-01-01") == [("Cook", "2020-01-01", None)]


def test_a_refused_row_makes_nothing_known(store, tmp_path):
    head = "from, predicate, to, valid_from, recorded_at, op\n"
    load(
        store, tmp_path, head + "Ines, rank, Mate, 2020-01-01, 2024-01-01,", trust_recorded_at=True
    )
    told = "Ines, rank, Cook, 2020-01-01, 2022-01-01,\nInes, rank, Cook, , 2022-01-01, retract"
    report = load(store, tmp_path, head + told, trust_recorded_at=True)
    assert rejects(report) == [(2, "backdated"), (3, "unknown_relation")]


def test_a_row_begins_when_it_was_recorded(store, tmp_path):
    report = load(
        store,
        tmp_path,
        """
        from, predicate, to, valid_from, valid_to, recorded_at, op
        Ines, rents, Loft, , , 2021-05-01,
        Ines, rents, Loft, , , 2022-05-01, unrelate
        Ines, rents, Attic, , 2021-05-01, 2021-06-01,
        Ines, owns, Boat, , , ,
        """,
        trust_recorded_at=True,
    )
    assert counts(report) == {"created": 2, "removed": 1, "rejected": 1}
    assert rejects(report) == [(4, "empty_period")]
    assert current(store, "Ines", as_of="2022-01-01") == [("Loft", "2021-05-01", None)]
    loft, boat = current(store, "Ines")
    assert loft == ("Loft", "2021-05-01", "2022-05-01")
    assert boat == ("Boat", short(newest_instant(store)), None)
    assert newest_instant(store) > datetime.now(UTC) - timedelta(minutes=5)
