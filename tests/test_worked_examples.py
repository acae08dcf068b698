"""Worked examples of two-axis time from the literature, re-expressed with names of our own.

Where the originals have a key and its owner, here a subject and a predicate are written with
`exclusive`. Answers are compared after touching periods were merged, since how a history is cut
into rows is each engine's own affair.
"""

from __future__ import annotations

import pytest
from engine import coalesced, counts, rejects, rows

import mazarbul_analytics as mz


@pytest.fixture
def store(tmp_path):
    return mz.Store(str(tmp_path / "store"), create=True)


def load(store, folder, header, table, **options):
    """Import rows given as text lines, with the history that they state."""
    path = folder / f"rows-{len(list(folder.glob('rows-*')))}.csv"
    path.write_text("\n".join([header, *table]) + "\n", encoding="utf-8")
    return store.import_relations(str(path), **({"trust_recorded_at": True} | options))


def date(instant):
    return None if instant is None else instant.date().isoformat()


def believed(store, name, as_of=None):
    """List object, start, end of what is known of a subject, at every valid time."""
    answer = rows(store.relations(name, as_of=as_of, include_inactive=True, limit=1000))
    return coalesced(
        [
            (row["object"], date(row["valid_from"]), date(row["valid_to"]))
            for row in answer
            if row["status"] in {"live", "expired", "future"}
        ]
    )


def knowledge(store, at):
    """List object and the period in transaction time of all that was ever believed about `at`."""
    query = f"""
        select object, recorded_at, superseded_at from relation_history
        where (valid_from is null or valid_from <= timestamptz '{at} 00:00:00Z')
          and (valid_to is null or valid_to > timestamptz '{at} 00:00:00Z')
    """
    return coalesced(
        [
            (row["object"], date(row["recorded_at"]), date(row["superseded_at"]))
            for row in rows(store.sql(query))
        ]
    )


# --- Snodgrass's property: two owners, sold, sold on, and four corrections ------------------------

PROPERTY = """
Lot 12,owned_by,Kim,2003-05-10,,2015-09-01,
Lot 12,owned_by,Lee,2003-05-15,,2015-09-02,
Lot 12,owned_by,Lee,2003-05-20,,2015-09-03,unrelate
Lot 12,owned_by,Kim,2003-05-03,2003-05-10,2015-09-04,
Lot 12,owned_by,Kim,2003-05-03,2003-05-05,2015-09-05,unrelate
Lot 12,owned_by,Kim,2003-05-05,2003-05-12,2015-09-06,
Lot 12,owned_by,Lee,2003-05-12,2003-05-20,2015-09-06,
Lot 12,owned_by,Kim,2003-05-05,2003-05-12,2015-09-07,unrelate
""".strip().splitlines()
PROPERTY_HEADER = "from,predicate,to,valid_from,valid_to,recorded_at,op"


@pytest.mark.parametrize("apart", [False, True], ids=["one import", "one for each change"])
def test_the_history_of_a_property(store, tmp_path, apart):
    # the two rows of one instant are one change
    single = [[row] for row in PROPERTY[:5]] + [PROPERTY[5:7], PROPERTY[7:]]
    for part in single if apart else [PROPERTY]:
        load(store, tmp_path, PROPERTY_HEADER, part, exclusive=["owned_by"])
    table = [
        ("2015-08-31", []),
        ("2015-09-01T12:00:00Z", [("Kim", "2003-05-10", None)]),
        (
            "2015-09-02T12:00:00Z",
            [("Kim", "2003-05-10", "2003-05-15"), ("Lee", "2003-05-15", None)],
        ),
        (
            "2015-09-03T12:00:00Z",
            [("Kim", "2003-05-10", "2003-05-15"), ("Lee", "2003-05-15", "2003-05-20")],
        ),
        (
            "2015-09-05T12:00:00Z",
            [("Kim", "2003-05-05", "2003-05-15"), ("Lee", "2003-05-15", "2003-05-20")],
        ),
        (
            "2015-09-06T12:00:00Z",
            [("Kim", "2003-05-05", "2003-05-12"), ("Lee", "2003-05-12", "2003-05-20")],
        ),
        (None, [("Lee", "2003-05-12", "2003-05-20")]),
    ]
    for as_of, expected in table:
        assert believed(store, "Lot 12", as_of) == expected
    assert knowledge(store, "2003-05-04") == [("Kim", "2015-09-04", "2015-09-05")]
    assert knowledge(store, "2003-05-13") == [
        ("Kim", "2015-09-01", "2015-09-06"),
        ("Lee", "2015-09-06", None),
    ]
    # what was owned on the 13th, as known long after
    later = rows(store.relations("Lot 12", at="2003-05-13", as_of="2019-02-03T15:14:01Z"))
    assert [(row["object"], date(row["recorded_at"])) for row in later] == [("Lee", "2015-09-06")]


# --- a change announced in advance ---------------------------------------------------------------


def test_a_move_announced_in_advance(store, tmp_path):
    load(
        store,
        tmp_path,
        "from,predicate,to,valid_from,recorded_at",
        [
            "Rafa,lives_at,Oak Row 4,2017-02-06,2017-02-06",
            "Rafa,lives_at,Pier 9,2024-11-01,2024-10-14",
        ],
        exclusive=["lives_at"],
    )
    told = [
        (r["object"], date(r["valid_from"]), date(r["valid_to"]), date(r["recorded_at"]),
         date(r["superseded_at"]))
        for r in rows(store.history("Rafa"))
    ]  # fmt: skip
    assert sorted(told, key=str) == [
        ("Oak Row 4", "2017-02-06", "2024-11-01", "2024-10-14", None),
        ("Oak Row 4", "2017-02-06", None, "2017-02-06", "2024-10-14"),
        ("Pier 9", "2024-11-01", None, "2024-10-14", None),
    ]
    table = [
        # at, as_of, home, its end as known then
        ("2024-10-20", None, "Oak Row 4", "2024-11-01"),
        ("2025-02-01", None, "Pier 9", None),
        ("2025-02-01", "2024-10-13", "Oak Row 4", None),
        ("2025-02-01", "2024-10-14", "Pier 9", None),
    ]
    for at, as_of, home, end in table:
        (row,) = rows(store.relations("Rafa", at=at, as_of=as_of))
        assert (row["object"], date(row["valid_to"])) == (home, end)


# --- which part of an older fact is still believed after a newer one ------------------------------


@pytest.mark.parametrize("by", ["a rival", "other attributes"])
@pytest.mark.parametrize(
    ("older", "newer", "left", "lost"),
    [
        ((1710, 1720), (1705, 1709), [(1710, 1720)], []),
        ((1710, 1720), (1705, 1710), [(1710, 1720)], []),
        ((1705, 1710), (1710, 1720), [(1705, 1710)], []),
        ((1715, 1725), (1710, 1720), [(1720, 1725)], [(1715, 1720)]),
        ((1710, 1725), (1710, 1720), [(1720, 1725)], [(1710, 1720)]),
        ((1710, 1725), (1715, 1720), [(1710, 1715), (1720, 1725)], [(1715, 1720)]),
        ((1710, 1720), (1710, 1725), [], [(1710, 1720)]),
        ((1710, 1725), (1715, 1725), [(1710, 1715)], [(1715, 1725)]),
        ((1710, 1720), (1715, 1725), [(1710, 1715)], [(1715, 1720)]),
        ((1712, 1715), (1710, 1720), [], [(1712, 1715)]),
        ((1710, 1720), (1710, 1720), [], [(1710, 1720)]),
    ],
)
def test_what_a_newer_fact_leaves_of_an_older(store, older, newer, left, lost, by):
    def tell(period, object_, attributes, *, exclusive):
        return store.relate(
            "Mill", "ground", object_, valid_from=f"{period[0]}-01-01",
            valid_to=f"{period[1]}-01-01", attributes=attributes, exclusive=exclusive,
        )  # fmt: skip

    tell(older, "Rye", {"grade": "old"}, exclusive=False)
    rival = by == "a rival"
    tell(newer, "Oats" if rival else "Rye", {"grade": "new"}, exclusive=rival)
    answer = [
        (r["valid_from"].year, r["valid_to"].year, r["superseded_at"] is None)
        for r in rows(store.history("Mill"))
        if r["attributes"] == '{"grade":"old"}'
    ]
    assert sorted(period[:2] for period in answer if period[2]) == left
    # the rest was believed once: the older as it was told, less what is left
    believed_once = {year for start, end, _ in answer for year in range(start, end)}
    assert believed_once == set(range(*older))
    gone = believed_once - {year for period in left for year in range(*period)}
    assert gone == {year for period in lost for year in range(*period)}


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        (("1816", "1819"), ("1818", "1820"), ("1818", "1819")),
        (("1800", "1801"), ("1802", "1803"), None),
        (("1800", "1801"), ("1801", "1803"), None),
        (("1820", "1822"), ("1821", "1823"), ("1821", "1822")),
        (("1820", "1829"), ("1821", "1823"), ("1821", "1823")),
        (("1820", None), ("1821", None), ("1821", None)),
    ],
)
def test_when_two_facts_held_together(store, left, right, both):
    for name, (start, end) in (("Mill", left), ("Forge", right)):
        store.relate(
            name, "stood_at", "Ford", valid_from=f"{start}-01-01",
            valid_to=None if end is None else f"{end}-01-01",
        )  # fmt: skip
    query = """
        select greatest(m.valid_from, f.valid_from) as since, least(m.valid_to, f.valid_to) as until
        from relation_history m join relation_history f
          on (m.valid_from < f.valid_to or f.valid_to is null)
         and (f.valid_from < m.valid_to or m.valid_to is null)
        where m.subject = 'Mill' and f.subject = 'Forge'
    """
    found = [tuple(i and str(i.year) for i in row.values()) for row in rows(store.sql(query))]
    assert found == ([] if both is None else [both])


# --- no two live facts of one key overlap ---------------------------------------------------------

HELD = ["Ada,keeps,Key A,1918-01-02,1918-02-03", "Ada,keeps,Key A,1918-03-03,1918-04-04",
        "Bea,keeps,Key A,1918-01-01,1918-01-05", "Cid,keeps,Key A,1918-01-01,"]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "outcome", "after"),
    [
        # said of a key: it holds once, however often it is told
        (
            "Ada,keeps,Key A,1918-01-01,1918-01-05",
            "corrected",
            [("1918-01-01", "1918-02-03"), ("1918-03-03", "1918-04-04")],
        ),
        (
            "Ada,keeps,Key A,1918-03-10,1918-03-20",
            "duplicate",
            [("1918-01-02", "1918-02-03"), ("1918-03-03", "1918-04-04")],
        ),
        (
            "Ada,keeps,Key A,1918-01-20,1918-03-20",
            "corrected",
            [("1918-01-02", "1918-04-04")],
        ),
        # exactly the hole
        ("Ada,keeps,Key A,1918-02-03,1918-03-03", "corrected", [("1918-01-02", "1918-04-04")]),
        # contains all
        ("Ada,keeps,Key A,1917-01-01,1919-01-01", "corrected", [("1917-01-01", "1919-01-01")]),
        # refused
        (",keeps,Key A,1918-01-01,1918-01-05", "missing_value", None),
        ("Cid,keeps,Key A,1918-05-01,1918-05-01", "empty_period", None),
        ("Cid,keeps,Key A,1918-05-02,1918-05-01", "empty_period", None),
    ],
)
def test_periods_of_one_key_never_overlap(store, tmp_path, row, outcome, after):
    header = "from,predicate,to,valid_from,valid_to"
    load(store, tmp_path, header, HELD, trust_recorded_at=False)
    report = load(store, tmp_path, header, [row], trust_recorded_at=False)
    if after is None:
        assert rejects(report) == [(2, outcome)]
    else:
        assert counts(report) == {outcome: 1}
    unchanged = [("1918-01-02", "1918-02-03"), ("1918-03-03", "1918-04-04")]
    current = rows(store.sql("select * from relation_history where superseded_at is null"))
    found = sorted(
        (date(r["valid_from"]), date(r["valid_to"])) for r in current if r["subject"] == "Ada"
    )
    assert found == (after or unchanged)
    others = sorted((r["subject"], date(r["valid_to"])) for r in current if r["subject"] != "Ada")
    assert others == [("Bea", "1918-01-05"), ("Cid", None)]


# --- a lookup at an instant that respects what was recorded by then -------------------------------

LOOKUP_HEADER = "from,predicate,to,valid_from,valid_to,recorded_at"


@pytest.mark.parametrize(
    ("told", "probes"),
    [
        pytest.param(
            ["Gauge 1,reads,low,2022-06-01T10:00:00Z,,2022-06-01T12:00:00Z",
             "Gauge 1,reads,high,2022-06-01T10:00:00Z,,2022-06-03T00:00:00Z"],
            [("Gauge 1", "2022-06-02", None, ["high"]),
             ("Gauge 1", "2022-06-02", "2022-06-02", ["low"]),
             ("Gauge 1", "2022-06-02", "2022-06-03", ["high"])],
            id="a correction that came late",
        ),
        pytest.param(
            ["Gauge 1,reads,low,2022-06-01T10:00:00Z,,2022-06-01T12:00:00Z",
             "Gauge 1,reads,high,2022-06-01T10:00:00Z,,"],
            [("Gauge 1", "2022-06-02", "2022-06-02", ["low"]),
             ("Gauge 1", "2022-06-02", None, ["high"])],
            id="without a recorded instant it is recorded now",
        ),
        pytest.param(
            ["Gauge 1,reads,low,2022-06-01T10:00:00Z,,2022-06-03T00:00:00Z",
             "Gauge 1,reads,high,2022-06-01T11:00:00Z,,2022-06-04T00:00:00Z"],
            [("Gauge 1", "2022-06-02", "2022-06-02", []),
             ("Gauge 1", "2022-06-02", "2022-06-03", ["low"]),
             ("Gauge 1", "2022-06-02", None, ["high"])],
            id="all of it recorded later",
        ),
        pytest.param(
            ["Gauge 1,reads,low,2022-06-01T10:00:00Z,,2022-06-01T12:00:00Z",
             "Gauge 2,reads,high,2022-06-01T10:00:00Z,,2022-06-03T00:00:00Z"],
            [("Gauge 1", "2022-06-02", "2022-06-02", ["low"]),
             ("Gauge 2", "2022-06-02", "2022-06-02", [])],
            id="nothing is borrowed from another",
        ),
        pytest.param(
            # good for ten days, the last instant included
            ["Gauge 1,reads,low,2021-12-31,2022-01-10T00:00:00.000001Z,2021-12-31",
             "Gauge 1,reads,mid,2022-01-02,2022-01-12T00:00:00.000001Z,2022-01-02",
             "Gauge 1,reads,high,2022-01-03,2022-01-13T00:00:00.000001Z,2022-01-03",
             "Gauge 2,reads,mid,2021-01-03,2021-01-13T00:00:00.000001Z,2021-01-03"],
            [("Gauge 1", "2022-01-01", None, ["low"]), ("Gauge 1", "2022-01-02", None, ["mid"]),
             ("Gauge 1", "2022-01-13", None, ["high"]),
             ("Gauge 1", "2022-01-13T00:00:00.000001Z", None, []),
             ("Gauge 2", "2022-01-01", None, [])],
            id="a greatest age",
        ),
    ],
)  # fmt: skip
def test_lookups_respect_what_was_recorded(store, tmp_path, told, probes):
    load(store, tmp_path, LOOKUP_HEADER, told, exclusive=["reads"])
    for name, at, as_of, expected in probes:
        answer = rows(store.relations(name, at=at, as_of=as_of))
        assert [row["object"] for row in answer] == expected


# --- the nearest earlier one: strict or not, without a match, backward, forward -------------------

# hour of a day, and what began then; each ends where the next begins
BEGINNINGS = {13: "a", 14: "b", 15: "c", 16: "d"}


@pytest.fixture
def day(store, tmp_path):
    told = [
        f"Clock,shows,{name},2022-06-01T{hour}:00:00Z,,2022-06-02"
        for hour, name in BEGINNINGS.items()
    ]
    load(store, tmp_path, LOOKUP_HEADER, told, exclusive=["shows"])
    return store


@pytest.mark.parametrize(
    ("probe", "at_or_before", "before", "at_or_after"),
    [
        ("12:00:00", None, None, "a"),
        ("13:00:00", "a", None, "a"),
        ("13:30:00", "a", "a", "b"),
        ("14:00:00", "b", "a", "b"),
        ("15:00:00", "c", "b", "c"),
        ("16:00:00", "d", "c", "d"),
        ("17:00:00", "d", "d", None),
        ("21:00:00", "d", "d", None),
    ],
)
def test_the_nearest_beginning(day, probe, at_or_before, before, at_or_after):
    (answer,) = rows(
        day.sql(
            f"""
        with probe as (select timestamptz '2022-06-01 {probe}Z' as at)
        select
            (select p.object from probe asof join relations p on probe.at >= p.valid_from) as held,
            (select p.object from probe asof join relations p on probe.at > p.valid_from) as past,
            (select p.object from probe asof join relations p on probe.at <= p.valid_from) as next
        """.replace("relations p", "(from relation_history where superseded_at is null) p")
        )
    )
    assert answer == {"held": at_or_before, "past": before, "next": at_or_after}
    live = rows(day.relations("Clock", at=f"2022-06-01T{probe}Z"))
    assert [row["object"] for row in live] == [held for held in [at_or_before] if held]


def test_a_start_that_is_open_is_before_every_probe(store):
    # an as-of join never matches a null; the rule of validity does
    store.relate("Clock", "shows", "a", valid_from="-infinity", valid_to="2022-06-01")
    query = """
        select object from (select timestamptz '2022-01-01 00:00:00Z' as at) p
        asof join relation_history h on p.at >= h.valid_from
    """
    assert rows(store.sql(query)) == []
    assert [row["object"] for row in rows(store.relations("Clock", at="2022-01-01"))] == ["a"]
