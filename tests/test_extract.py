"""The extract: one file that stands alone, says what the door says, and is whole or not there."""

from __future__ import annotations

import shutil

import duckdb
import pytest
from click.testing import CliRunner
from relayworld import hard_store
from stores import load

import mazarbul_analytics as mz
from mazarbul_analytics.cli import cli
from mazarbul_analytics.engine import sqlfiles

OBJECTS = {
    "calendar": "table",
    "entities": "table",
    "imports": "table",
    "relation_activity_daily": "table",
    "relation_durations": "table",
    "relation_history": "table",
    "relation_holders": "table",
    "relation_stints": "table",
    "relations_now": "view",
    "relay_gap_history": "table",
    "relay_holes": "table",
    "relay_known_missing": "table",
    "relay_references": "table",
    "relays": "table",
}
RUNS_ON = {"relation_durations": "valid_seconds", "relay_known_missing": "age_seconds"}
"""What grows while the test runs."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Make a store with sealed and unsealed versions, corrections, stints, relays and gaps."""
    folder = tmp_path_factory.mktemp("extract")
    made = hard_store(folder)
    load(
        made,
        folder,
        """
        from,predicate,to,valid_from,valid_to,attributes
        Ada,knows,Bob,2019-03-10T00:00:00Z,2019-03-11,
        Ada,knows,Bob,2020-03-10T00:00:00Z,,
        Ada,knows,Cyd,1887-12-31T23:59:59.999999Z,,
        Bob,works_at,Mill,-infinity,2024-11-03T06:00:00Z,"{""a"": ""it's""}"
        Cyd,works_at,Mill,2190-01-01,,
        """,
    )
    made.optimize()
    made.relate("Ada", "knows", "Bob", attributes={"a": 1}, valid_from="2024-03-10T12:00:00Z")
    made.unrelate("Ada", "knows", "Cyd", valid_from="2000-01-01")
    return made


@pytest.fixture(scope="module")
def copy(store, tmp_path_factory):
    target = tmp_path_factory.mktemp("copy") / "all.duckdb"
    assert store.catalog(extract=target) == target
    assert [p.name for p in target.parent.iterdir()] == ["all.duckdb"]
    return target


def ask(path, query):
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return connection.execute(query).fetchall()


def kinds(path):
    query = "select table_name, lower(table_type) from information_schema.tables"
    return {name: kind.removeprefix("base ") for name, kind in ask(path, query)}


def test_what_is_in_it(copy):
    assert kinds(copy) == OBJECTS


@pytest.mark.parametrize("name", OBJECTS)
def test_it_holds_what_the_door_holds(store, copy, name):
    door = store.path / "catalog.duckdb"
    shape = "select column_name, data_type from duckdb_columns() where table_name = '{}' order by "
    columns = ask(copy, shape.format(name) + "column_index")
    expected = ask(door, shape.format(name) + "column_index")
    assert columns == [column for column in expected if column[0] != "record"]
    steady = ", ".join(f'"{column}"' for column, _ in columns if column != RUNS_ON.get(name))
    query = f"select {steady} from {name}"
    found = ask(copy, query)
    assert found
    assert sorted(map(repr, found)) == sorted(map(repr, ask(door, query)))


def test_it_explains_itself_as_the_door_does(store, copy):
    views = "select view_name, comment from duckdb_views() where not internal"
    tables = "select table_name, comment from duckdb_tables() where not internal"
    columns = """
        select table_name, column_name, comment from duckdb_columns() where not internal
    """
    door = store.path / "catalog.duckdb"
    expected, told = dict(ask(door, views)), dict(ask(copy, f"{views} union all {tables}"))
    assert set(told) == set(OBJECTS)
    for name, text in told.items():
        assert text.startswith(expected[name]), name
        assert ("Copied at 2" in text) == (OBJECTS[name] == "table"), name
    found = ask(copy, columns)
    assert len(found) > 100
    assert set(found) <= set(ask(door, columns))
    assert all(text for *_, text in found)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("relation_history", "predicate, valid_from"),
        ("relation_stints", "predicate, valid_from"),
        ("relation_durations", "predicate, valid_from"),
        ("relation_holders", "predicate, valid_from"),
        ("relation_activity_daily", "predicate, day"),
        ("relay_gap_history", "day"),
        ("calendar", "day"),
    ],
)
def test_a_table_is_sorted_so_that_zone_maps_help(copy, name, order):
    lie = ask(copy, f"select {order} from {name} order by rowid")
    assert lie == ask(copy, f"select {order} from {name} order by {order}")


def test_relations_now_is_judged_when_it_is_asked(copy):
    (text,) = ask(copy, "select sql from duckdb_views() where view_name = 'relations_now'")[0]
    assert "now()" in text
    assert ask(copy, "select object from relations_now where subject = 'Ada'") == [("Bob",)]


def test_the_bytes_of_the_relays_are_in_it_when_asked_for(store, tmp_path):
    target = store.catalog(extract=tmp_path / "all.duckdb", relay_bytes=True)
    assert kinds(target) == OBJECTS
    query = "select relay_id, record from relays order by relay_id"
    found = ask(target, query)
    assert found == ask(store.path / "catalog.duckdb", query)
    assert found[0][1] == store.relays.get("relay-0003")
    told = "select comment from duckdb_columns() where column_name = 'record'"
    assert ask(target, told) == ask(
        store.path / "catalog.duckdb", f"{told} and table_name='relays'"
    )


def test_it_stands_alone(store, tmp_path):
    moved = mz.Store(shutil.copytree(store.path, tmp_path / "store"))
    target = moved.catalog(extract=tmp_path / "all.duckdb")
    shutil.rmtree(moved.path)
    for name in OBJECTS:
        assert ask(target, f"from {name}"), name


def test_an_empty_store_has_an_extract_too(tmp_path):
    store = mz.Store(tmp_path / "store", create=True)
    target = store.catalog(extract=tmp_path / "all.duckdb")
    assert kinds(target) == OBJECTS
    assert {name: ask(target, f"from {name}") for name in OBJECTS} == {n: [] for n in OBJECTS}


def test_it_replaces_an_older_one_only_when_it_is_whole(store, tmp_path, monkeypatch):
    target = tmp_path / "all.duckdb"
    store.catalog(extract=target)
    before = target.read_bytes()
    right = sqlfiles.statements
    for broken in ("reads/extract.sql", "reads/extract_relays.sql"):
        monkeypatch.setattr(
            sqlfiles,
            "statements",
            lambda path, broken=broken: ("select nonsense",) if path == broken else right(path),
        )
        with pytest.raises(mz.StoreError):
            store.catalog(extract=target)
        assert target.read_bytes() == before
        assert [p.name for p in tmp_path.iterdir()] == ["all.duckdb"]
    monkeypatch.undo()
    old = target.stat().st_ino
    store.catalog(extract=target)
    assert target.stat().st_ino != old


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("notes.txt", "it is not overwritten"),
        ("missing/all.duckdb", "not a file that can be written"),
        (".", "not a file that can be written"),
    ],
)
def test_where_it_may_not_go(store, tmp_path, name, message):
    (tmp_path / "notes.txt").write_text("a text of some length")
    with pytest.raises(mz.InvalidValue, match=message):
        store.catalog(extract=tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "a text of some length"


def test_not_into_the_store(store):
    with pytest.raises(mz.InvalidValue, match="inside the store"):
        store.catalog(extract=store.path / "all.duckdb")
    assert not (store.path / "all.duckdb").exists()


def test_bytes_are_asked_of_an_extract_only(store, tmp_path):
    with pytest.raises(mz.InvalidValue, match="extract"):
        store.catalog(relay_bytes=True)
    given = ["--store", str(store.path), "catalog", "--relay-bytes"]
    asked = CliRunner().invoke(cli, given)
    assert asked.exit_code == 2
    assert "--extract FILE" in asked.stderr
    target = tmp_path / "all.duckdb"
    assert CliRunner().invoke(cli, [*given, "--extract", str(target)]).exit_code == 0
    assert len(ask(target, "select record from relays")) == 8
