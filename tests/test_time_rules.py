"""The rules of time, each as a literal table: what is told singly, what is answered."""

from __future__ import annotations

from datetime import timedelta

import pytest
from engine import rows
from shorttables import current, listing, newest_instant, short

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue, UnknownEntity, UnknownRelation

DEV, MANAGER = {"role": "dev"}, {"role": "manager"}


@pytest.fixture
def store(tmp_path):
    return mz.Store(str(tmp_path / "store"), create=True)


# --- live at (at, as_of) -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "at", "live"),
    [
        ("2020-03-01", "2021-03-01", "2020-02-29T23:59:59.999999Z", False),
        ("2020-03-01", "2021-03-01", "2020-03-01T00:00:00Z", True),
        ("2020-03-01", "2021-03-01", "2020-03-01T00:00:00.000001Z", True),
        ("2020-03-01", "2021-03-01", "2021-02-28T23:59:59.999999Z", True),
        ("2020-03-01", "2021-03-01", "2021-03-01T00:00:00Z", False),
        ("2020-03-01", "2021-03-01", "2021-03-01", False),
        ("2020-03-01", "2021-03-01", "2021-03-01T05:30:00+05:30", False),
        ("2020-03-01", "2021-03-01", "2021-03-01T05:29:59+05:30", True),
        ("2020-03-01", None, "2199-12-31", True),
        ("2020-03-01", "infinity", "2199-12-31", True),
        ("-infinity", "2021-03-01", "0001-01-01", True),
        ("-infinity", None, "1969-07-20T20:17:40Z", True),
        # one microsecond is a period
        ("2020-03-01", "2020-03-01T00:00:00.000001Z", "2020-03-01", True),
        ("2020-03-01", "2020-03-01T00:00:00.000001Z", "2020-03-01T00:00:00.000001Z", False),
        ("1969-12-31T23:59:59.999999Z", "1970-01-01", "1969-12-31T23:59:59.999999Z", True),
    ],
)
def test_a_period_includes_its_start_and_not_its_end(store, start, end, at, live):
    store.relate("Mira", "leads", "Harbour Board", valid_from=start, valid_to=end)
    assert len(listing(store, "Mira", at=at)) == live
    assert len(listing(store, "Harbour Board", at=at)) == live


def test_as_of_hides_what_was_recorded_later(store):
    store.relate("Mira", "leads", "Harbour Board", valid_from="2019-01-01")
    first = newest_instant(store)
    store.unrelate("Mira", "leads", "Harbour Board", valid_from="2022-01-01")
    second = newest_instant(store)
    assert second > first
    step = timedelta(microseconds=1)
    table = [
        # as_of, at, end of the one that is live
        (first - step, "2020-01-01", []),
        (first, "2020-01-01", [None]),
        (first, "2023-01-01", [None]),  # the end itself is not known yet
        (second - step, "2023-01-01", [None]),
        (second, "2021-12-31", ["2022-01-01"]),
        (second, "2023-01-01", []),
        (None, "2021-12-31", ["2022-01-01"]),
        (None, "2023-01-01", []),
    ]
    for as_of, at, ends in table:
        asked = None if as_of is None else as_of.isoformat()
        assert [end for _, _, end in listing(store, "Mira", at=at, as_of=asked)] == ends
    # the end in transaction time shows only once it is known
    (row,) = rows(store.relations("Mira", at="2020-01-01", as_of=first.isoformat()))
    assert row["superseded_at"] is None
    # only as_of: at stays now
    assert len(listing(store, "Mira", as_of=first.isoformat())) == 1
    assert listing(store, "Mira") == []


def test_the_axes_are_independent(store):
    store.relate("Mira", "leads", "Harbour Board", valid_from="1990-01-01", valid_to="1995-01-01")
    recorded = newest_instant(store)
    assert len(listing(store, "Mira", at="1992-01-01")) == 1
    assert listing(store, "Mira", at="1992-01-01", as_of="1992-06-01") == []
    assert listing(store, "Mira", as_of=recorded.isoformat()) == []


def test_statuses_and_order(store):
    def tell(what, start, end, **more):
        return store.relate("Mira", what, "Quay", valid_from=start, valid_to=end, **more)

    tell("tends", "2018-01-01", None)
    tell("tends", "2020-01-01", None, attributes=DEV)
    store.retract(tell("paints", "2019-01-01", None).relation_uid)
    tell("sees", "-infinity", "2017-01-01")
    tell("visits", "2190-01-01", None)
    answer = store.relations("Mira", at="2021-01-01", include_inactive=True)
    found = [
        (row["predicate"], short(row["valid_from"]), short(row["valid_to"]), row["status"])
        for row in rows(answer)
    ]
    assert found == [
        ("visits", "2190-01-01", None, "future"),
        ("tends", "2020-01-01", None, "live"),
        ("paints", "2019-01-01", None, "retracted"),
        ("tends", "2018-01-01", "2020-01-01", "expired"),
        ("tends", "2018-01-01", None, "superseded"),
        ("sees", None, "2017-01-01", "expired"),
    ]
    assert [row["predicate"] for row in rows(store.relations("Mira", at="2021-01-01"))] == ["tends"]
    limited = rows(store.relations("Mira", at="2021-01-01", include_inactive=True, limit=3))
    assert limited == rows(answer)[:3]
    # at the instant of the first commit nothing of this was superseded yet
    first = min(row["recorded_at"] for row in rows(answer)).isoformat()
    earlier = rows(store.relations("Mira", at="2021-01-01", as_of=first, include_inactive=True))
    assert [(row["status"], row["superseded_at"]) for row in earlier] == [("live", None)]


def test_scopes_are_apart(store):
    for scope in ("project", "personal", "team"):
        done = store.relate("Mira", "tends", "Quay", valid_from="2020-01-01", scope=scope)
        assert done.status == "created"
    assert len(listing(store, "Mira")) == 2
    assert len(listing(store, "Mira", scopes=["team"])) == 1
    store.unrelate("Mira", "tends", "Quay", scope="personal", valid_from="-infinity")
    assert [row["scope"] for row in rows(store.relations("Mira"))] == ["project"]


# --- the sequenced write -----------------------------------------------------------------------


def test_a_part_gets_other_attributes(store):
    def known(as_of=None):
        found = rows(store.relations("Ines", as_of=as_of, include_inactive=True))
        return sorted(
            (short(r["valid_from"]), short(r["valid_to"]), r["attributes"], r["source_event_uid"])
            for r in found
            if r["status"] not in {"superseded", "retracted"}
        )

    def tell(start, end, attributes, event=None):
        done = store.relate(
            "Ines", "works_at", "Acme", valid_from=start, valid_to=end, attributes=attributes,
            source_event_uid=event,
        )  # fmt: skip
        return done.status

    assert tell("2019-01-01", None, DEV, "hired") == "created"
    before = newest_instant(store).isoformat()
    assert tell("2022-01-01", None, MANAGER, "promoted") == "corrected"
    assert known() == [
        ("2019-01-01", "2022-01-01", '{"role":"dev"}', "hired"),
        ("2022-01-01", None, '{"role":"manager"}', "promoted"),
    ]
    assert known(before) == [("2019-01-01", None, '{"role":"dev"}', "hired")]
    # said again, in part, or without attributes: known
    assert tell("2022-01-01", None, MANAGER, "again") == "duplicate"
    assert tell("2019-06-01", "2019-07-01", DEV) == "duplicate"
    assert tell("2020-01-01", None, None) == "duplicate"
    # no attributes at all is something else than not given
    assert tell("2020-01-01", "2021-01-01", {}) == "corrected"
    assert known()[1:3] == [
        ("2020-01-01", "2021-01-01", None, None),
        ("2021-01-01", "2022-01-01", '{"role":"dev"}', "hired"),
    ]
    # back again: three become one, which keeps the event of the part that begins first
    assert tell("2020-01-01", "2021-01-01", DEV) == "corrected"
    assert known()[0] == ("2019-01-01", "2022-01-01", '{"role":"dev"}', "hired")


@pytest.mark.parametrize(
    ("first", "second", "status", "after"),
    [
        # periods as day of month in 2020; None is open
        ((5, 9), (5, 9), "duplicate", [(5, 9)]),
        ((5, 9), (6, 8), "duplicate", [(5, 9)]),
        ((5, None), (7, None), "duplicate", [(5, None)]),
        ((5, 9), (9, 12), "corrected", [(5, 12)]),
        ((5, 9), (2, 5), "corrected", [(2, 9)]),
        ((5, 9), (7, 12), "corrected", [(5, 12)]),
        ((5, 9), (2, 12), "corrected", [(2, 12)]),
        ((5, 9), (7, None), "corrected", [(5, None)]),
        ((5, 9), (10, 12), "created", [(5, 9), (10, 12)]),  # a second stint
        ((5, 9), (2, 4), "created", [(2, 4), (5, 9)]),
    ],
)
def test_periods_of_one_relation(store, first, second, status, after):
    def day(number):
        return None if number is None else f"2020-01-{number:02}"

    uids = set()
    for (start, end), expected in ((first, "created"), (second, status)):
        done = store.relate("Ines", "rents", "Loft", valid_from=day(start), valid_to=day(end))
        assert done.status == expected
        uids.add(done.relation_uid)
    assert len(uids) == 1  # the key is the identity
    assert current(store, "Ines") == [("Loft", day(start), day(end)) for start, end in after]


@pytest.mark.parametrize(
    ("taken", "status", "after"),
    [
        (("2020-01-01", "2020-02-01"), "unchanged", [("2020-03-01", "2021-03-01")]),
        (("2020-02-01", "2020-03-01"), "unchanged", [("2020-03-01", "2021-03-01")]),
        (("2021-03-01", None), "unchanged", [("2020-03-01", "2021-03-01")]),
        (("2020-02-01", "2020-04-01"), "removed", [("2020-04-01", "2021-03-01")]),
        (("2021-01-01", None), "removed", [("2020-03-01", "2021-01-01")]),
        (
            ("2020-06-01", "2020-07-01"),
            "removed",
            [("2020-03-01", "2020-06-01"), ("2020-07-01", "2021-03-01")],
        ),
        (("-infinity", None), "removed", []),
        (("2020-03-01", "2021-03-01"), "removed", []),
        ((None, None), "unchanged", [("2020-03-01", "2021-03-01")]),  # from now on
    ],
)
def test_a_portion_is_taken_away(store, taken, status, after):
    store.relate("Ines", "rents", "Loft", valid_from="2020-03-01", valid_to="2021-03-01")
    done = store.unrelate("Ines", "rents", "Loft", valid_from=taken[0], valid_to=taken[1])
    assert done.status == status
    assert current(store, "Ines") == [("Loft", *period) for period in after]


def test_not_given_is_from_now_on(store):
    assert store.relate("Ines", "rents", "Loft").status == "created"
    (row,) = rows(store.history("Ines"))
    assert row["valid_from"] == row["recorded_at"]
    assert len(listing(store, "Ines")) == 1  # live at once, whatever the clock says
    assert store.unrelate("Ines", "rents", "Loft").status == "removed"
    ended = newest_instant(store)
    assert [row["valid_to"] for row in rows(store.history("Ines")) if row["superseded_at"] is None
            ] == [ended]  # fmt: skip
    assert listing(store, "Ines") == []


def test_retract_takes_all_and_says_so(store):
    uid = store.relate("Ines", "rents", "Loft", valid_from="2018-01-01", valid_to="2019-01-01")
    store.relate("Ines", "rents", "Loft", valid_from="2020-01-01")
    assert store.retract(uid.relation_uid).status == "removed"
    assert store.retract(uid.relation_uid).status == "unchanged"
    assert current(store, "Ines") == []
    assert [row["status"] for row in rows(store.history("Ines"))] == ["retracted", "retracted"]
    # it may be told anew: nothing current was superseded
    assert store.relate("Ines", "rents", "Loft", valid_from="2020-01-01").status == "created"
    assert current(store, "Ines") == [("Loft", "2020-01-01", None)]


def test_what_was_never_told_cannot_be_taken_away(store):
    store.relate("Ines", "rents", "Loft", valid_from="2020-01-01")
    with pytest.raises(UnknownEntity):
        store.unrelate("Ines", "rents", "Attic")
    for key in (("Ines", "owns", "Loft"), ("Loft", "rents", "Ines")):
        with pytest.raises(UnknownRelation):
            store.unrelate(*key)
    with pytest.raises(UnknownRelation):
        store.unrelate("Ines", "rents", "Loft", scope="team")
    with pytest.raises(UnknownRelation):
        store.retract("00000000-0000-8000-a000-000000000000")


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T05:30:00+05:30", "2020-01-01"),
        ("2020-01-01", "2020-01-01T00:00:00.000000000Z"),
        ("2020-01-02", "2020-01-01"),
        (None, "2020-01-01"),  # from now to the past
    ],
)
def test_a_period_that_is_empty_or_reversed_is_refused(store, start, end):
    with pytest.raises(InvalidValue) as caught:
        store.relate("Ines", "rents", "Loft", valid_from=start, valid_to=end)
    assert caught.value.reason == "empty_period"
    # nothing is left behind, not even an entity
    assert rows(store.sql("select * from entities")) == []
