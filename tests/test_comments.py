"""The door explains itself: every view, column and macro, before and after each kind of commit."""

from __future__ import annotations

import re

import duckdb
import pytest
from stores import load, small_store

from mazarbul_analytics.door import comments
from mazarbul_analytics.engine import sqlfiles

COLUMNS = """
    select table_name, column_name, data_type, comment from duckdb_columns() where not internal
"""
VIEWS = "select view_name, comment from duckdb_views() where not internal"
MACROS = "select function_name, comment from duckdb_functions() where not internal"
TIMES = {"TIMESTAMP WITH TIME ZONE", "DATE"}


def ask(path, query):
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    store = small_store(tmp_path_factory.mktemp("door") / "store")
    return store.catalog()


def without(path):
    """List whatever behind a door has no comment."""
    told = [("view", *row) for row in ask(path, VIEWS)]
    told += [("macro", *row) for row in ask(path, MACROS)]
    told += [(f"column of {table}", name, text) for table, name, _, text in ask(path, COLUMNS)]
    assert len(told) > 300
    return [(kind, name) for kind, name, text in told if not text or not text.endswith(".")]


def test_every_view_column_and_macro_has_a_comment(door):
    assert without(door) == []


@pytest.mark.parametrize("name", [n for n in sqlfiles.names("comments") if n != "macros"])
def test_a_comment_is_of_a_column_that_is_there(door, name):
    there = {column for table, column, *_ in ask(door, COLUMNS) if table == name}
    text = sqlfiles.statement(f"comments/{name}.sql")
    told = re.findall(r'comment on column (\w+)\."?(\w+)"? is', text)
    assert {table for table, _ in told} <= {name}
    assert {column for _, column in told} <= there
    assert len(told) == len(set(told))


def test_every_macro_that_is_told_of_is_there(door):
    assert set(comments.of_macros()) == {name for name, _ in ask(door, MACROS)}


def test_a_column_of_time_says_its_axis_and_which_end_is_in(door):
    times = [row for row in ask(door, COLUMNS) if row[2] in TIMES]
    assert len(times) > 60
    for table, column, _, text in times:
        assert re.search(r"\b(valid|transaction) time\b", text, re.IGNORECASE), (table, column)
        if column == "day":
            assert "UTC" in text, table
        else:
            assert re.search(r"\b(in|out)\b", text), (table, column)


def test_a_macro_that_asks_for_an_instant_says_which_end_is_in(door):
    query = """
        select function_name, comment from duckdb_functions()
        where not internal and function_type = 'table_macro'
            and list_has_any(parameters, ['at', 'as_of', 'start', 'since', 'probes'])
    """
    found = [(name, text) for name, text in ask(door, query) if not text.startswith("Internal")]
    assert len(found) > 15
    for name, text in found:
        assert re.search(r"\b(in|out)\b|<=|no more", text), name


def test_helpers_are_told_apart(door):
    internal = {name for name, text in ask(door, VIEWS) if text.startswith("Internal")}
    assert {"relations_sealed", "relations_unsealed", "relays_files", "entity_names"} <= internal
    assert not internal & {"relation_history", "relations_now", "relays", "calendar", "imports"}


def test_columns_take_the_text_of_the_view_they_repeat(door):
    told = {(table, column): text for table, column, _, text in ask(door, COLUMNS)}
    assert told["relations_now", "valid_to"] == told["relation_history", "valid_to"]
    assert told["relations_unsealed", "valid_to"] == told["relation_history", "valid_to"]
    assert told["relations_unsealed", "removal"] == told["relations_sealed", "removal"]
    assert told["relations_now", "superseded_at"] != told["relation_history", "superseded_at"]


def test_a_quote_in_a_text_comes_out_once(door):
    told = {(table, column): text for table, column, _, text in ask(door, COLUMNS)}
    assert "a type of one's own" in told["entities", "type"]
    assert "this store's" in dict(ask(door, MACROS))["relay_number"]


def test_comments_outlive_every_commit(tmp_path):
    """A commit makes the views that name its files anew; the others stay as they were."""
    store = small_store(tmp_path / "store")
    before = ask(store.catalog(), COLUMNS)
    store.relate("Bob", "knows", "Cyd")
    assert without(store.path / "catalog.duckdb") == []
    load(store, tmp_path, "from,predicate,to\nEve,knows,Dan")
    store.relays.deposit(b"@p-e/x0\n\nbody", relay_id="relay-0001")
    assert without(store.path / "catalog.duckdb") == []
    store.optimize()
    assert without(store.path / "catalog.duckdb") == []
    assert sorted(ask(store.path / "catalog.duckdb", COLUMNS)) == sorted(before)


def test_what_is_kept_of_the_old_door_is_not_stale(tmp_path):
    """Only views whose files changed are made anew; each commit shows in the views of its table."""
    store = small_store(tmp_path / "store")
    counts = """
        select (select count(*) from entities), (select count(*) from relation_history),
            (select count(*) from relays), (select count(*) from imports)
    """

    def found():
        return ask(store.path / "catalog.duckdb", counts)

    assert found() == [(2, 1, 0, 0)]
    store.relate("Ada", "knows", "Bob", valid_from="2010-01-01")
    assert found() == [(2, 2, 0, 0)]
    store.relays.deposit(b"@p-e/x0\n\nbody", relay_id="relay-0001")
    assert found() == [(2, 2, 1, 0)]
    load(store, tmp_path, "from,predicate,to\nEve,knows,Dan")
    assert found() == [(4, 3, 1, 1)]
    store.optimize()
    store.vacuum("0s")
    assert found() == [(4, 3, 1, 1)]
    store.relate("Eve", "knows", "Bob")
    assert found() == [(4, 4, 1, 1)]
