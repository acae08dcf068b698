"""The door held open by a real Apache Superset, as docs/bi-tools.md says to set it up.

The blocks of that page are what runs here: its `superset_config.py`, its connection, its dataset.
`UPDATE_IMAGES=1 make test-bi` takes the page's picture anew: look at it before you keep it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import duckdb
import pytest
from chromium import Chromium
from superset_client import Client, Refused
from superset_dashboard import dashboard, where
from superset_server import PASSWORD, USER, Server

import mazarbul_analytics as mz

pytestmark = pytest.mark.bi

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "bi-tools.md"
PICTURE = ROOT / "docs" / "images" / "superset.png"
PROGRAMS = Path(os.environ.get("BI_VENV", ROOT / ".venv-bi")).resolve() / "bin"
STORE_OF_PAGE = "/data/mazarbul-store"
SCHEMA = "catalog.main"

CACHE = """
# the page says what to set so that this cache never shows an old answer
DATA_CACHE_CONFIG = {
    "CACHE_TYPE": "FileSystemCache", "CACHE_DIR": %r, "CACHE_DEFAULT_TIMEOUT": 86400
}
"""


def block(kind, after):
    """Return the first code block of a kind below a line of the page."""
    text = PAGE.read_text(encoding="utf-8").split(after, 1)[1]
    return re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)[1]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Make a store of the sample data, and a Superset that is connected to its door twice.

    `ledger` is what the page says. `plain` comes to the same door by a link, which the function in
    the page's configuration does not know: the same connection without that function.
    """
    assert (PROGRAMS / "superset").exists(), "make test-bi"
    folder = tmp_path_factory.mktemp("bi")
    store = mz.Store(folder / "store", create=True)
    store.import_relations(ROOT / "data" / "lifetimes.csv", trust_recorded_at=True)
    (folder / "link").symlink_to(store.path)

    def here(kind, after, place="store"):
        return block(kind, after).replace(STORE_OF_PAGE, str(folder / place))

    config = here("python", "## Apache Superset") + CACHE % str(folder / "cache")
    with Server(PROGRAMS, folder / "superset", config) as server:
        client = Client(server.url, USER, PASSWORD)
        plain = json.loads(here("json", "### The connection", "link")) | {"database_name": "plain"}
        connection = json.loads(here("json", "### The connection"))
        databases = {
            "ledger": client.post("database/", connection)["id"],
            "plain": client.post("database/", plain)["id"],
        }
        sql = block("sql", "### A dataset that is asked")
        believed = {
            name: dataset(client, number, f"believed in {name}", sql=sql)
            for name, number in databases.items()
        }
        yield SimpleNamespace(
            store=store,
            client=client,
            connection=connection,
            databases=databases,
            database=databases["ledger"],
            believed=believed,
        )
    port = urlsplit(server.url).port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def dataset(client, database, name, **sql):
    """Make a dataset of a view, or of a query; return its id."""
    body = {"database": database, "schema": SCHEMA, "table_name": name} | sql
    return client.post("dataset/", body)["id"]


both = pytest.mark.parametrize("name", ["ledger", "plain"])


@both
def test_the_views_are_listed(world, name):
    number = world.databases[name]
    assert SCHEMA in world.client.get(f"database/{number}/schemas/")["result"]
    listed = world.client.get(f"database/{number}/tables/", q=f"(schema_name:{SCHEMA})")["result"]
    views = {table["value"] for table in listed if table["type"] == "view"}
    assert {"entities", "relation_history", "relations_now", "relays", "calendar"} <= views


@both
def test_a_view(world, name):
    query = """
        select predicate, object from relations_now
        where subject = 'Debian 12' and predicate in ('release_of', 'succeeds') order by predicate
    """
    assert world.client.sql(world.databases[name], query) == [
        {"predicate": "release_of", "object": "Debian"},
        {"predicate": "succeeds", "object": "Debian 11"},
    ]


SUPPORT = [
    ("2026-06-20", "2025-09-01", "Debian LTS"),
    ("2026-06-20", "2025-11-01", "Debian support"),
    ("2026-08-01", "2025-11-01", "Debian LTS"),
]
QUESTION = {
    "columns": ["subject", "object", "valid_to"],
    "filters": [
        {"col": "subject", "op": "==", "val": "Debian 12"},
        {"col": "predicate", "op": "==", "val": "supported_by"},
    ],
}


@both
@pytest.mark.parametrize(("at", "as_of", "programme"), SUPPORT)
def test_a_macro(world, name, at, as_of, programme):
    query = """
        select object from relations_at('{{ at }}', '{{ as_of }}')
        where subject = 'Debian 12' and predicate = 'supported_by'
    """
    rows = world.client.sql(world.databases[name], query, at=at, as_of=as_of)
    assert rows == [{"object": programme}]


@both
@pytest.mark.parametrize(("at", "as_of", "programme"), SUPPORT)
def test_a_chart_that_is_asked_by_its_address(world, name, at, as_of, programme):
    query = QUESTION | {"url_params": {"at": at, "as_of": as_of}}
    rows = world.client.chart_rows(world.believed[name], query)
    assert [row["object"] for row in rows] == [programme]


@both
@pytest.mark.parametrize(("at", "as_of", "programme"), SUPPORT)
def test_a_chart_that_is_asked_by_filters(world, name, at, as_of, programme):
    asked = [
        {"col": "asked_at", "op": "IN", "val": [at]},
        {"col": "asked_as_of", "op": "IN", "val": [as_of]},
    ]
    query = QUESTION | {"filters": QUESTION["filters"] + asked}
    rows = world.client.chart_rows(world.believed[name], query)
    assert [row["object"] for row in rows] == [programme]


def test_instants_come_in_utc(world):
    """The server runs in another zone; the text of an instant is UTC all the same."""
    query = """
        select cast(valid_to as varchar) as text,
            cast(date_trunc('day', valid_to) as varchar) as day
        from relations_at('2026-06-20', '2025-11-01')
        where subject = 'Debian 12' and predicate = 'supported_by'
    """
    midnight = "2026-07-11 00:00:00+00"
    assert world.client.sql(world.database, query) == [{"text": midnight, "day": midnight}]


def test_a_parameter_is_a_value_and_no_sql(world):
    evil = "2025-09-01') where 1 = 0 --"
    for query in (
        QUESTION | {"url_params": {"as_of": evil}},
        QUESTION | {"filters": [{"col": "asked_as_of", "op": "IN", "val": [evil]}]},
    ):
        with pytest.raises(Refused, match=re.escape("invalid timestamp")):
            world.client.chart_rows(world.believed["ledger"], query)


LINES = {
    "viz_type": "echarts_timeseries_line",
    "x_axis": "day",
    "metrics": [
        {
            "expressionType": "SIMPLE",
            "column": {"column_name": "live"},
            "aggregate": "MAX",
            "label": "live",
        }
    ],
    "groupby": ["predicate"],
    "adhoc_filters": [
        where("predicate", "IN", ["release_of", "supported_by", "observes"]),
        where("day", "TEMPORAL_RANGE", "2012-01-01 : 2026-07-01"),
    ],
    "row_limit": 50000,
    "x_axis_title": "day",
    "x_axis_title_margin": 30,
    "x_axis_time_format": "%Y",
    "y_axis_title": "live relations",
    "y_axis_title_margin": 40,
    "y_axis_title_position": "Left",
    "y_axis_format": "SMART_NUMBER",
    "show_legend": True,
    "legendOrientation": "top",
    "legendType": "plain",
    "color_scheme": "supersetColors",
}
ROWS = {
    "viz_type": "table",
    "query_mode": "raw",
    "all_columns": ["asked_at", "asked_as_of", "subject", "object", "valid_from", "valid_to"],
    "adhoc_filters": [
        where("predicate", "==", "supported_by"),
        where("subject", "LIKE", "Debian%"),
    ],
    "order_by_cols": [json.dumps(["subject", True])],
    "row_limit": 100,
    "table_timestamp_format": "%Y-%m-%d",
}
COLOURS = """(() => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(pixels.buffer)).size;
})()"""
CELLS = "[...document.querySelectorAll('td')].map(cell => cell.innerText)"


def test_a_dataset_brings_the_descriptions_of_its_columns(world):
    number = dataset(world.client, world.database, "relation_history")
    columns = world.client.get(f"dataset/{number}")["result"]["columns"]
    with duckdb.connect(str(world.store.path / "catalog.duckdb"), read_only=True) as door:
        query = "select column_name, comment from duckdb_columns() where table_name = ?"
        comments = dict(door.execute(query, ["relation_history"]).fetchall())
    assert {column["column_name"]: column["description"] for column in columns} == comments
    assert None not in comments.values()


def test_a_dashboard_in_a_browser(world, tmp_path):
    """Both charts are drawn without an error, and no other host is asked for anything."""
    client = world.client
    activity = dataset(client, world.database, "relation_activity_daily")
    charts = [
        ("Relations live on each day, by predicate", activity, 50, LINES),
        ("Who supports Debian", world.believed["ledger"], 33, ROWS),
    ]
    number = dashboard(client, "The ledger", charts)
    address = f"{client.url}/superset/dashboard/{number}/?standalone=2"
    drawn = "document.querySelector('canvas') && document.querySelector('td')"
    with Chromium(tmp_path / "profile", width=1100, height=710, scale=1.5) as page:
        for at, as_of, programme in reversed(SUPPORT):
            page.open(f"{address}&at={at}&as_of={as_of}", client.cookies)
            page.wait_for(f"location.search.includes('{at}&as_of={as_of}') && {drawn}")
            cells = page.value(CELLS)
            first = cells.index("Debian 12") - 2
            assert cells[first : first + 4] == [at, as_of, "Debian 12", programme]
        picture = page.picture()
        assert page.value(COLOURS) > 20
        assert not page.value("document.querySelector('[role=alert]')?.innerText")
        assert page.refused == []
    if os.environ.get("UPDATE_IMAGES"):
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_bytes(picture)


@pytest.fixture(scope="module")
def cached(world):
    """Connect a second time, without the setting that keeps the cache out of the way."""
    connection = world.connection | {"database_name": "cached", "cache_timeout": None}
    database = world.client.post("database/", connection)["id"]
    return dataset(world.client, database, "relations_now")


NEW = "select object from relations_now where subject = 'Jeff' order by object"
NEW_CHART = {
    "columns": ["object"],
    "filters": [{"col": "subject", "op": "==", "val": "Jeff"}],
    "orderby": [["object", True]],
}


def test_a_commit_shows_in_the_next_query(world, cached):
    client, expected = world.client, []
    for employer in ("Acme", "Globex", "Initech"):
        for name, database in world.databases.items():
            assert client.sql(database, NEW) == expected
            assert client.chart_rows(world.believed[name], NEW_CHART) == expected
        assert client.chart_rows(cached, NEW_CHART) == []  # the answer of the first round
        world.store.relate("Jeff", "works_at", employer, valid_from="2024-01-01")
        expected = [*expected, {"object": employer}]


def open_when_read(pipe, answer):
    """Open a pipe as soon as the query of which `answer` comes has opened its other end."""
    while not answer.done():
        with contextlib.suppress(OSError):  # no reader yet
            return os.fdopen(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "w")
        time.sleep(0.05)
    raise AssertionError(answer.result())


@pytest.mark.parametrize(("name", "seen"), [("ledger", 1), ("plain", 0)])
def test_a_commit_while_another_query_runs(world, name, seen):
    """A query that reads a pipe holds the door open until something is written to it."""
    pipe, subject = world.store.path / f"{name}.csv", f"Mary {name}"
    os.mkfifo(pipe)
    held = f"select * from read_csv('{pipe}', header = true, columns = {{'n': 'integer'}})"
    count = f"select count(*) as n from relations_now where subject = '{subject}'"
    with ThreadPoolExecutor() as threads:
        answer = threads.submit(world.client.sql, world.databases[name], held)
        with open_when_read(pipe, answer) as writer:
            world.store.relate(subject, "knows", "Bob")
            during = world.client.sql(world.databases[name], count)
            writer.write("n\n7\n")
        assert answer.result() == [{"n": 7}]
    assert during == [{"n": seen}]
    assert world.client.sql(world.databases[name], count) == [{"n": 1}]


DEFINITIONS = [
    "create table t (n int)",
    "create table t as select 1",
    "create view v as select 1",
    "create or replace view relations_now as select 1",
    "drop view relations_now",
]
CHANGES = ["insert into relations_now from relation_history", "delete from relations_now"]


@both
@pytest.mark.parametrize("statement", DEFINITIONS + CHANGES)
def test_superset_refuses_what_changes_data(world, name, statement):
    with pytest.raises(Refused, match="does not allow for DDL/DML"):
        world.client.sql(world.databases[name], statement)


@pytest.fixture(scope="module")
def permissive(world):
    """Let Superset allow all that it could forbid: what is left is the connection's own doing."""
    for number in world.databases.values():
        world.client.put(f"database/{number}", {"allow_dml": True})
    yield
    for number in world.databases.values():
        world.client.put(f"database/{number}", {"allow_dml": False})


@both
@pytest.mark.parametrize("statement", DEFINITIONS)
@pytest.mark.usefixtures("permissive")
def test_the_connection_refuses_it_too(world, name, statement):
    before = (world.store.path / "catalog.duckdb").read_bytes()
    with pytest.raises(Refused, match="read-only mode"):
        world.client.sql(world.databases[name], statement)
    assert (world.store.path / "catalog.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "select * from read_text('/etc/hostname')",
        "copy (select 1) to '{outside}'",
        "attach '{outside}' as other",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
    ],
)
@pytest.mark.usefixtures("permissive")
def test_other_files_are_out_of_reach(world, tmp_path, statement):
    outside = tmp_path / "outside"
    with pytest.raises(Refused, match=r"disabled by configuration|external.access"):
        world.client.sql(world.database, statement.format(outside=outside))
    assert not outside.exists()


def test_a_plain_connection_reaches_them(world, tmp_path):
    """As the page warns: Superset takes a COPY for no change of data."""
    world.client.sql(world.databases["plain"], f"copy (select 1 as n) to '{tmp_path / 'n.csv'}'")
    assert (tmp_path / "n.csv").read_text(encoding="utf-8") == "n\n1\n"
