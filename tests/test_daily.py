"""The daily views and the calendar: exact at midnight, and held to the model and to the lists."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from engine import rows
from hypothesis import given
from ledger import Ledger, told
from oracle import Oracle
from relayworld import hard_store
from stores import empty_store, load
from strategies import HELD_TO_THE_MODEL, day, histories

ZONES = ["UTC", "Asia/Tokyo", "America/New_York"]


@pytest.fixture(scope="module")
def ledger():
    made = Ledger()
    yield made
    made.connection.close()


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return hard_store(tmp_path_factory.mktemp("archive"))


def in_zone(connection, zone, query):
    connection.execute(f"set TimeZone = '{zone}'")
    try:
        return connection.rows(query)
    finally:
        connection.execute("set TimeZone = 'UTC'")


def today():
    return datetime.now(UTC).date()


# --- relation_activity_daily ---------------------------------------------------------------------


@pytest.mark.parametrize("zone", ZONES)
def test_a_start_at_midnight_is_in_and_an_end_is_out(tmp_path, zone):
    store = empty_store(tmp_path / "store")
    load(
        store,
        tmp_path,
        """
        from,predicate,to,scope,valid_from,valid_to
        Ann,knows,Bo,,2020-01-02,2020-01-04
        Bo,knows,Cleo,team,2020-01-02T00:00:00.000001Z,2020-01-04T00:00:00.000001Z
        Cleo,knows,Dan,,-infinity,2020-01-03
        Dan,knows,Ann,,2020-01-02T06:00:00Z,2020-01-02T18:00:00Z
        Eve,likes,Ann,,2020-01-01T23:59:59.999999Z,2020-01-04T23:59:59.999999Z
        Eve,awaits,Ann,,2190-01-01,
        """,
    )
    query = """
        select day, predicate, live, epoch("at") as at
        from relation_activity_daily where day <= date '2020-01-05' order by predicate, day
    """
    connection, _ = store._read()
    found = in_zone(connection, zone, query)
    assert [(d.day, predicate, live) for d, predicate, live, _ in found] == [
        (1, "knows", 1),
        (2, "knows", 2),
        (3, "knows", 2),
        (4, "knows", 1),
        (5, "knows", 0),
        (1, "likes", 0),
        (2, "likes", 1),
        (3, "likes", 1),
        (4, "likes", 1),
        (5, "likes", 0),
    ]
    assert [at for *_, at in found] == [
        datetime(d.year, d.month, d.day, tzinfo=UTC).timestamp() for d, *_ in found
    ]


@pytest.mark.parametrize(
    ("starts", "first"),
    [
        ((2001, 2003), "2001-01-01"),
        ((None, 2003), "2003-01-01"),
        ((None,), "today"),
        ((1700, 2003), "a century ago"),
        ((2190,), "no row"),
    ],
)
def test_the_first_and_the_last_day(ledger, starts, first):
    ledger.hold(told(*((f"s{n}", "p", "o", y, None, 2020, None) for n, y in enumerate(starts))))
    found = ledger.rows(
        "select min(day) as first, max(day) as last, count(*) as days from relation_activity_daily"
    )[0]
    now = today()
    if first == "no row":
        assert found["days"] == 0
        return
    expected = {"today": now, "a century ago": now.replace(year=now.year - 100)}
    begun = expected.get(first) or date.fromisoformat(first)
    assert (found["first"], found["last"]) == (begun, now)
    assert found["days"] == (now - begun).days + 1


def test_what_was_superseded_is_not_counted(ledger):
    ledger.hold(
        told(("a", "p", "b", 2001, None, 2020, 2021), ("a", "p", "b", 2010, None, 2021, None))
    )
    found = ledger.rows("select min(day) as first, max(live) as most from relation_activity_daily")
    assert found == [{"first": date(2010, 1, 1), "most": 1}]


@HELD_TO_THE_MODEL
@given(calls=histories(most=14, recorded=True))
def test_the_daily_counts_are_the_models(ledger, calls):
    oracle = Oracle()
    oracle.import_rows(calls, day(200), trust=True)
    ledger.hold(oracle)
    current = [v for v in oracle.versions if v.superseded_at is None]
    starts = [v.portion.start for v in current if v.portion.start is not None]
    starts = [s for s in starts if s.date() <= today()]
    first = min(starts, default=datetime.now(UTC)).date() if current else None
    expected, moment = {}, None if first is None else datetime(*first.timetuple()[:3], tzinfo=UTC)
    while moment is not None and moment <= day(10):
        expected[moment] = Counter(v.key.predicate for v in oracle.live(moment))
        moment += timedelta(days=1)
    found = ledger.rows(
        'select "at", predicate, live from relation_activity_daily where day <= $last', last=day(10)
    )
    assert {(row["at"], row["predicate"]): row["live"] for row in found if row["live"]} == {
        (moment, predicate): live
        for moment, counts in expected.items()
        for predicate, live in counts.items()
    }
    assert Counter(row["predicate"] for row in found) == Counter(
        {predicate: len(expected) for predicate in {row["predicate"] for row in found}}
    )


# --- relay_gap_history ---------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ZONES)
def test_what_was_present_and_missing_each_midnight(archive, zone):
    """What is deposited at midnight is there on that day; what it names is missing from then on."""
    connection, _ = archive._read()
    query = """
        select day, present, known_missing from relay_gap_history
        where day <= date '2024-01-08' order by day
    """
    found = in_zone(connection, zone, query)
    assert [(d.day, present, missing) for d, present, missing in found] == [
        (1, 1, 0),
        (2, 4, 2),  # pr-12, relay-0999
        (3, 5, 3),  # relay-0010
        (4, 5, 3),
        (5, 5, 3),
        (6, 7, 3),  # relay-0010 came at six on the fifth; relay-0011 is named
        (7, 8, 4),  # a|b<i>*
        (8, 8, 4),
    ]


def test_each_day_is_what_the_list_says_as_of_its_midnight(archive):
    found = rows(archive.sql("from relay_gap_history order by day"))
    assert (found[0]["day"], found[-1]["day"]) == (date(2024, 1, 1), today())
    assert len(found) == (today() - date(2024, 1, 1)).days + 1
    for row in found[:10] + found[-1:]:
        listed = archive.relays.list(as_of=row["at"])
        assert (row["present"], row["known_missing"]) == (
            len(listed.present),
            len(listed.known_missing),
        )


# --- calendar ------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ZONES)
def test_the_calendar_is_one_row_a_day(ledger, zone):
    ledger.hold(told(("a", "p", "b", 2008, None, 2020, None)))
    wanted = "'2008-12-28', '2008-12-29', '2009-01-01', '2024-02-29'"
    query = (
        f'select * replace (epoch("at") as "at") from calendar where day in ({wanted}) order by day'
    )
    found = in_zone(ledger.connection, zone, query)
    # day, year, quarter, month, iso_year, iso_week, weekday
    assert [(str(row[0]), *row[2:]) for row in found] == [
        ("2008-12-28", 2008, 4, 12, 2008, 52, 7),
        ("2008-12-29", 2008, 4, 12, 2009, 1, 1),
        ("2009-01-01", 2009, 1, 1, 2009, 1, 4),
        ("2024-02-29", 2024, 1, 2, 2024, 9, 4),
    ]
    assert [row[1] for row in found] == [
        datetime(row[0].year, row[0].month, row[0].day, tzinfo=UTC).timestamp() for row in found
    ]
    ends = ledger.rows("select min(day) as first, max(day) as last, count(*) as n from calendar")
    first = date(2008, 1, 1)
    assert ends == [{"first": first, "last": today(), "n": (today() - first).days + 1}]


def test_the_calendar_holds_the_days_of_both_daily_views(archive):
    days = "select min(day), max(day) from"
    assert (
        archive.sql(f"{days} calendar").fetchall()
        == archive.sql(f"{days} relay_gap_history").fetchall()
    )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("'2024-01-30', '2024-04-30', interval 1 month", ["01-30", "02-29", "03-30", "04-30"]),
        ("'2024-01-30', '2024-01-31T23:00:00Z', interval 1 day", ["01-30", "01-31"]),
        ("'2024-01-30', '2024-01-30', interval 1 day", ["01-30"]),
        ("'2024-01-31', '2024-01-30', interval 1 day", []),
        ("'2024-01-30', '2024-01-31', interval 0 day", []),
        ("null, '2024-01-31', interval 1 day", []),
    ],
)
@pytest.mark.parametrize("zone", ZONES)
def test_a_grid_of_ones_own(ledger, zone, asked, expected):
    text = "strftime(\"at\" at time zone 'UTC', '%m-%d')"
    query = f'select {text} from calendar({asked}) order by "at"'
    assert [row[0] for row in in_zone(ledger.connection, zone, query)] == expected
