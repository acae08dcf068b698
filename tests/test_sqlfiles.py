"""The files of `sql/`: one object each, described, bound in order, in every form of a store."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
import sqlglot
from stores import small_store

from mazarbul_analytics.engine import sqlfiles
from mazarbul_analytics.engine.connection import connect, overlay
from mazarbul_analytics.tables import snapshots

SQL = Path(__file__).parents[1] / "sql"
FILES = sorted(SQL.rglob("*.sql"))
OBJECTS = [p for p in FILES if p.parent.name in {"views", "macros"}]


def name_of(path):
    return str(path.relative_to(SQL))


def code_of(path):
    return re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_begins_with_what_it_is(path):
    text = path.read_text(encoding="utf-8")
    head = re.match(r"(?:-- [^\n]+\n)+", text)
    assert head, "a comment comes first"
    assert len(head[0]) > 40
    assert text.endswith("\n")
    assert "\t" not in text
    code = code_of(path)
    # name_key is how names are compared; a digest is no name
    assert not re.search(r"\blower\s*\((?!r\.parent_sha256\))", code, re.IGNORECASE)
    assert not re.search(r"\bilike\b|\bnocase\b", code, re.IGNORECASE)
    assert not re.search(r"\{\w+\}|\{\{|%s|\bgetvariable\b", code), "no templates"


@pytest.mark.parametrize("path", OBJECTS, ids=name_of)
def test_an_object_is_alone_in_the_file_that_bears_its_name(path):
    made = re.findall(
        r"create\s+(?:or\s+replace\s+)?(view|macro)\s+(\w+)", code_of(path), re.IGNORECASE
    )
    assert made == [(path.parent.name.removesuffix("s"), path.stem)]


def test_only_sql_is_there():
    assert [p for p in SQL.rglob("*") if p.is_file() and p.suffix != ".sql"] == []
    assert {p.parent.name for p in FILES} == {
        "comments",
        "macros",
        "postgres",
        "reads",
        "views",
        "writes",
    }


def test_each_object_comes_after_those_it_names():
    seen = set()
    names = {name for name, _ in sqlfiles.objects()}
    assert names == {p.stem for p in OBJECTS}
    for name, text in sqlfiles.objects():
        code = re.sub(r"--[^\n]*", "", text)
        needed = set(re.findall(r"\w+", code)) & names - {name}
        assert needed <= seen, name
        seen.add(name)


def test_what_writing_needs_is_whole():
    """A single write loads only a part of `sql/`: it must bind by itself."""
    part = dict(sqlfiles.objects_for("writes", "entities", "imports"))
    names = {name for name, _ in sqlfiles.objects()}
    for name, text in part.items():
        assert set(re.findall(r"\w+", re.sub(r"--[^\n]*", "", text))) & names <= set(part), name
    assert "relations_at" not in part
    connection = connect()
    overlay(connection, None, writing=True)
    connection.close()


def test_every_object_binds_over_nothing_and_answers_with_no_row():
    connection = connect()
    overlay(connection, None)
    for path in OBJECTS:
        if path.parent.name == "views":
            assert connection.rows(f"select * from {path.stem}") == [], path.stem
    for call in (
        "relations_at(null, null)",
        "relations_of('', null, null)",
        "neighbors_of('', null, null, 2)",
        "relay_list(null, null)",
        "relay_gaps_as_of(null)",
    ):
        assert connection.rows(f"select * from {call}") == [], call
    connection.close()


def test_every_object_binds_over_rows_sealed_and_not(tmp_path):
    store = small_store(tmp_path / "store")
    store.optimize()
    store.relate("Ada", "knows", "Cyd")
    connection = connect(snapshots.snapshot(store.path))
    for path in OBJECTS:
        if path.parent.name == "views":
            connection.rows(f"select * from {path.stem}")
    assert connection.scalar("select count(*) from relations_now") == 2
    connection.close()


def test_statements_are_parted_at_ends_of_lines():
    for path in FILES:
        theirs = path.read_text(encoding="utf-8").startswith("-- PostgreSQL.")
        for statement in sqlfiles.statements(name_of(path)):
            if theirs:
                parsed = sqlglot.parse(statement, read="postgres")
            else:
                parsed = duckdb.extract_statements(statement)
            assert len(parsed) == 1, name_of(path)
