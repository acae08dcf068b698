"""The door for BI tools: plain duckdb, read-only, from anywhere, while a writer commits."""

from __future__ import annotations

import os
import shutil
import time

import duckdb
import pytest
from engine import rows
from stores import empty_store, load, python, started

import mazarbul_analytics as mz
from mazarbul_analytics.door import catalog
from mazarbul_analytics.engine import sqlfiles
from mazarbul_analytics.tables import snapshots

VIEWS = [
    "calendar",
    "entities",
    "relation_activity_daily",
    "relation_durations",
    "relation_history",
    "relation_holders",
    "relation_stints",
    "relations_now",
    "relays",
    "relay_gap_history",
    "relay_references",
    "relay_known_missing",
    "relay_holes",
    "imports",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a store with sealed and unsealed versions, corrections and old instants."""
    folder = tmp_path_factory.mktemp("made")
    store = empty_store(folder / "store")
    load(
        store,
        folder,
        """
        from,predicate,to,valid_from,valid_to
        Ada,knows,Bob,2024-03-10T00:00:00Z,2024-03-11
        Ada,knows,Cyd,1887-12-31T23:59:59.999999Z,
        Bob,works_at,Mill,-infinity,2024-11-03T06:00:00Z
        """,
    )
    store.optimize()
    store.relate("Ada", "knows", "Bob", attributes={"a": 1}, valid_from="2024-03-10T12:00:00Z")
    return store.path


@pytest.fixture
def store(made, tmp_path):
    return mz.Store(shutil.copytree(made, tmp_path / "store"))


def door(store, zone="UTC"):
    """Open the door as a BI tool does."""
    connection = duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True)
    connection.execute(f"set TimeZone = '{zone}'")
    return connection


def ask(store, query, zone="UTC"):
    with door(store, zone) as connection:
        return connection.execute(query).fetchall()


def test_every_object_of_sql_is_behind_the_door(made):
    with door(mz.Store(made)) as connection:
        views = {
            r[0] for r in connection.execute("select view_name from duckdb_views()").fetchall()
        }
        query = "select function_name from duckdb_functions() where not internal"
        macros = {r[0] for r in connection.execute(query).fetchall()}
        for name in VIEWS:
            connection.execute(f"select * from {name}").fetchall()
    assert {name for name, _ in sqlfiles.objects()} <= views | macros
    assert set(VIEWS) <= views


def test_the_door_gives_what_the_store_gives(made):
    store = mz.Store(made)
    query = "select * from relation_history order by version"
    assert ask(store, query) == [tuple(row.values()) for row in rows(store.sql(query))]
    listed = rows(store.relations("Ada", at="2024-03-10T13:00:00Z"))
    uid = store.entity("Ada").uid
    macro = (
        f"select object_uid from relations_of('{uid}', '2024-03-10T13:00:00Z', null) order by all"
    )
    assert ask(store, macro) == sorted((row["object_uid"],) for row in listed)


def test_plain_duckdb_in_any_folder(made, tmp_path):
    """A process that never heard of this package, somewhere else."""
    code = """
        import sys, duckdb
        con = duckdb.connect(sys.argv[1], read_only=True)
        print(con.execute("select count(*) from relation_history").fetchone()[0])
        assert not any(name.startswith("mazarbul") for name in sys.modules)
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    assert python(code, made / "catalog.duckdb", cwd=tmp_path, env=environment)[:2] == (0, "5\n")


AT = [
    "timestamptz '2024-03-10 13:00:00+00'",
    "'2024-03-10T13:00:00Z'",
    "'2024-03-10t18:30:00+05:30'",
    "'2024-03-10 13:00:00'",
    "timestamp '2024-03-10 13:00:00'",
    "date '2024-03-10'",
    "'2024-03-10'",
    "'1887-12-31T23:59:59.999999Z'",
    "timestamptz '1887-12-31 23:59:59.999998+00'",
    "'2024-11-03T05:59:59.999999Z'",
    "'2024-11-03T06:00:00Z'",
    "timestamptz '-infinity'",
    "null",
]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_session_zone_changes_no_row(made, zone):
    """A change day of summer time, instants before standard time, every way to write one."""
    store = mz.Store(made)
    show = (
        "subject_uid, object_uid, epoch_us(valid_from), epoch_us(valid_to), epoch_us(recorded_at)"
    )
    ada = store.entity("Ada").uid
    queries = [f"select {show} from relations_at({at}, null) order by all" for at in AT]
    queries += [f"select {show} from relations_of('{ada}', {at}, null) order by all" for at in AT]
    queries += [f"select {show} from relations_at(null, {at}) order by all" for at in AT]
    queries += [f"select epoch_us(instant({at}))" for at in AT]
    queries += [f"select {show} from relations_now order by all"]
    with door(store) as utc, door(store, zone) as there:
        for query in queries:
            found = there.execute(query).fetchall()
            assert found == utc.execute(query).fetchall(), query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'2024-03-10T13:00:00Z'", 1710075600000000),
        ("'2024-03-10T08:00:00-05:00'", 1710075600000000),
        ("'2024-03-10'", 1710028800000000),
        ("date '2024-03-10'", 1710028800000000),
        ("timestamp '2024-03-10 13:00:00'", 1710075600000000),
        ("timestamptz '1887-12-31 23:59:59.999998+00'", -2587680000000002),
        ("null", None),
        ("'2024-03-10T13:00:00 Europe/Berlin'", 1710072000000000),
        ("'2024-03-10 13:00:00.5 CET'", 1710072000500000),
    ],
)
def test_instant(made, text, expected):
    assert ask(mz.Store(made), f"select epoch_us(instant({text}))", "America/New_York") == [
        (expected,)
    ]


# --- renewal -------------------------------------------------------------------------------------


def test_the_door_is_renewed_by_each_commit(store):
    count = "select count(*) from relation_history"
    assert ask(mz.Store(store.path), count) == [(5,)]  # the copy still names the old folder
    assert catalog.is_behind(snapshots.snapshot(store.path))
    for number in range(3):
        store.relate("Dee", "knows", f"Eve {number}")
        assert ask(store, count) == [(6 + number,)]
        assert not catalog.is_behind(snapshots.snapshot(store.path))
    before = (store.path / "catalog.duckdb").stat().st_ino
    assert store.relate("Dee", "knows", "Eve 0").status == "duplicate"
    assert (store.path / "catalog.duckdb").stat().st_ino == before  # nothing to renew
    store.optimize()
    store.vacuum("0s")
    assert ask(store, count) == [(8,)]
    assert not [p for p in store.path.iterdir() if p.name.startswith(".catalog")]


@pytest.mark.parametrize("left", [None, b"", b"no database"])
def test_a_door_that_is_missing_or_damaged_is_built_anew(store, left):
    path = store.path / "catalog.duckdb"
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    assert catalog.is_behind(snapshots.snapshot(store.path))
    store.relate("Ada", "knows", "Bob", valid_from="2025-01-01")  # a duplicate: nothing to commit
    assert ask(store, "select count(*) from relation_history") == [(5,)]


def test_a_moved_store_is_opened_again_by_catalog(store, tmp_path):
    store.catalog()
    moved = mz.Store(store.path.rename(tmp_path / "moved [1]"))
    with pytest.raises(duckdb.IOException):
        ask(moved, "from relations_now")
    found = [f["finding"] for f in rows(moved.check()) if f["severity"] == "warning"]
    assert found == ["is behind the tables: run `mazarbul catalog`"]
    assert moved.catalog() == moved.path / "catalog.duckdb"
    assert ask(moved, "select count(*) from relation_history") == [(5,)]


READ = """
    import sys, time, duckdb
    seen, end = set(), time.monotonic() + 2.5
    while time.monotonic() < end:
        with duckdb.connect(sys.argv[1], read_only=True) as con:
            seen.add(con.execute("select count(*) from relation_history").fetchone()[0])
    print(sorted(seen))
"""


def test_readers_in_other_processes_while_a_writer_commits(store):
    store.catalog()
    readers = [started(READ, store.path / "catalog.duckdb") for _ in range(2)]
    held = door(store)  # and one that stays open
    count = "select count(*) from relation_history"
    written = 0
    while any(r.poll() is None for r in readers):
        store.relate("Dee", "knows", f"Eve {written}")
        written += 1
        time.sleep(0.05)
    for reader in readers:
        out, err = reader.communicate()
        assert reader.returncode == 0, err
        seen = set(map(int, out.strip()[1:-1].split(",")))
        assert len(seen) > 1
        assert seen <= set(range(5, 6 + written))
    assert held.execute(count).fetchall() == [(5,)]
    held.close()
    assert ask(store, count) == [(5 + written,)]
