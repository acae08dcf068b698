"""The door and the extract in the engine of today and in DuckDB 1.x, in three time zones.

Most BI tools carry a DuckDB 1.x; here it is the command line client, since two releases of the
Python package cannot be installed side by side.
"""

from __future__ import annotations

import json
import subprocess
import sys

import duckdb
import pytest
from doorcalls import CALLS, INSTANTS, busy_store, calls, comparable

ZONES = ["UTC", "Asia/Tokyo", "America/New_York"]
FIRST = ("today", "UTC")


class Today:
    """The engine that this package brings."""

    def __call__(self, path, zone, statements):
        with duckdb.connect(str(path), read_only=True) as connection:
            connection.execute(f"set TimeZone = '{zone}'")
            return [connection.execute(sql).fetchall() for sql in statements]


class Older:
    """A client of DuckDB 1.x; a query's rows come back as the texts of its only column."""

    def __call__(self, path, zone, statements):
        lines = [f"set TimeZone = '{zone}';"]
        for number, sql in enumerate(statements):
            if sql.startswith("select"):
                lines.append(f"select {number} as number, found from ({sql}) as asked;")
            else:
                lines.append(f"{sql};")
        command = [sys.executable, "-m", "duckdb_cli", "-init", "/dev/null", "-bail", "-readonly"]
        done = subprocess.run(
            [*command, "-jsonlines", str(path)],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        found = [[] for _ in statements]
        for line in filter(None, done.stdout.split("\n")):
            row = json.loads(line)
            found[row["number"]].append((row["found"],))
        return found


CLIENTS = {"today": Today(), "1.x": Older()}
# what all are held to is what today's engine answers in UTC
SESSIONS = [(client, zone) for client in CLIENTS for zone in ZONES if (client, zone) != FIRST]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return busy_store(tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="module")
def door(store):
    return store.path / "catalog.duckdb"


@pytest.fixture(scope="module")
def extract(store, tmp_path_factory):
    return store.catalog(extract=tmp_path_factory.mktemp("extract") / "all.duckdb")


def names_in(path, query):
    with duckdb.connect(str(path), read_only=True) as connection:
        return sorted(row[0] for row in connection.execute(query).fetchall())


def objects_in(path):
    query = (
        "select table_name from information_schema.tables where table_name <> 'catalog_built_from'"
    )
    return names_in(path, query)


def asked(client, path, zone, tables, queries):
    """Return the rows of each query, in one order, as parsed JSON."""
    answers = client(path, zone, [*tables, *queries.values()])[len(tables) :]
    shown = ([json.loads(text) for text in sorted(row[0] for row in rows)] for rows in answers)
    return dict(zip(queries, shown, strict=True))


def comparable_all(path, tables, wanted):
    with duckdb.connect(str(path), read_only=True) as connection:
        for sql in tables:
            connection.execute(sql)
        return {
            (*key, number): comparable(connection, call)
            for key, texts in wanted.items()
            for number, call in enumerate(texts)
        }


@pytest.fixture(scope="module")
def queries(store, door):
    """Give the statements that make tables for the calls, and the query of each call."""
    tables, wanted = calls(store.entity("Ada").uid, objects_in(door))
    return tables, comparable_all(door, tables, wanted)


@pytest.fixture(scope="module")
def expected(door, queries):
    """Give what the engine of today answers in UTC."""
    return asked(CLIENTS["today"], door, "UTC", *queries)


def test_every_table_macro_is_called(door):
    query = """
        select function_name from duckdb_functions()
        where not internal and function_type = 'table_macro'
    """
    assert names_in(door, query) == sorted(CALLS)


def test_every_call_answers_with_rows(expected):
    assert [key for key, rows in expected.items() if not rows] == []


@pytest.mark.parametrize("name", CALLS)
def test_one_instant_in_every_spelling(expected, name):
    first, *others = INSTANTS
    for spelling in others:
        for number, call in enumerate(CALLS[name]):
            found = expected[name, spelling, number]
            assert found == expected[name, first, number], (spelling, call)


@pytest.mark.parametrize(("client", "zone"), SESSIONS)
def test_every_view_and_macro_behind_the_door(door, queries, expected, client, zone):
    """The same rows, whatever the client, the zone of its session and the spelling."""
    found = asked(CLIENTS[client], door, zone, *queries)
    assert [key for key in expected if found[key] != expected[key]] == []


@pytest.mark.parametrize(("client", "zone"), SESSIONS)
def test_every_table_of_the_extract(extract, client, zone):
    queries = comparable_all(extract, [], {(name,): [name] for name in objects_in(extract)})
    assert len(queries) == 14
    found = asked(CLIENTS[client], extract, zone, [], queries)
    assert found == asked(CLIENTS["today"], extract, "UTC", [], queries)
    assert all(found.values())


@pytest.mark.parametrize("file", ["door", "extract"])
def test_an_older_client_reads_the_comments(file, request):
    path = request.getfixturevalue(file)
    queries = [
        """select coalesce(comment, '') as found from duckdb_columns() where not internal""",
        """select coalesce(comment, '') as found from duckdb_views() where not internal""",
        """select coalesce(comment, '') as found from duckdb_tables() where not internal""",
        """select coalesce(comment, '') as found from duckdb_functions() where not internal""",
    ]
    found, expected = (client(path, "UTC", queries) for client in reversed(CLIENTS.values()))
    assert [sorted(rows) for rows in found] == [sorted(rows) for rows in expected]
    assert all(text for rows in found for (text,) in rows)
    assert sum(map(len, found)) > 100
