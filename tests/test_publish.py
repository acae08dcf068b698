"""The copy of a store in a real PostgreSQL: every row, or none, and nobody disturbed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import postgresserver
import pytest
from click.testing import CliRunner
from engine import rows
from postgresserver import PASSWORD
from stores import empty_store, load

import mazarbul_analytics as mz
from mazarbul_analytics.cli import cli
from mazarbul_analytics.cli.commands import example_of
from mazarbul_analytics.door import catalog, publish

pytestmark = pytest.mark.service

DOCS = Path(__file__).resolve().parent.parent / "docs" / "postgresql.md"
LIVE = "select count(*) as n from mazarbul.relation_history"


@pytest.fixture(scope="module")
def server():
    with postgresserver.running() as found:
        yield found


@pytest.fixture
def clean(server):
    """Give a new database to each test."""
    server.run("drop database if exists bi with (force)", "create database bi", database="postgres")
    return server


ATTRIBUTES = [
    '{"role":"dev","tags":["a",null,true],"n":12345678901234567890123456789.5}',
    '{"text":"\\u0000"}',
    '{"\\u0000":1}',
    '{"text":"\\\\u0000 and \\" 3e1234, 1e99999"}',
    '{"n":1e5000}',
    '{"n":-2.5e-20000}',
    '{"n":' + "9" * 1200 + "}",
    '{"n":1e300,"Ü":"ß"}',
    "{}",
]
STRINGS = (1, 2, 4, 5, 6)
"""Which of these no jsonb can hold."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a store of hard rows: odd names, far and open ends, sealed and not, NULs, relays."""
    folder = tmp_path_factory.mktemp("made")
    store = empty_store(folder / "store")
    load(
        store,
        folder,
        """
        from,predicate,to,valid_from,valid_to,scope
        "Ünï ""x"" %",knows,Bob's \\n \\\\,0001-01-01T00:00:00Z,1887-12-31T23:59:59.999999Z,
        "Ünï ""x"" %",knows,日本 😀,-infinity,9999-12-31T23:59:59.999999Z,team
        Ada,works_at,Mill,1969-12-31T23:59:59.999999Z,,personal
        Ada,works_at,NULL,2020-01-01,2021-01-01,
        """,
    )
    store.optimize()
    for number, attributes in enumerate(ATTRIBUTES):
        store.relate(
            "Ada", "uses", f"Tool {number}", attributes=attributes, valid_from="2020-01-01"
        )
    store.retract(store.relate("Ada", "uses", "Nothing", valid_from="2020-01-01").relation_uid)
    record = b"@p-e/x0\nfrom: a\x00b\nto: c\nref: relay-0\x00009\n\nbody \x00\xff\n"
    (folder / "relay-0003.txt").write_bytes(record)
    (folder / "relays.csv").write_text("id,refs,body\nrelay-0005,relay-0001 relay-0002,b\n")
    store.relays.import_(folder / "relay-0003.txt")
    store.relays.import_(folder / "relays.csv")
    return store.path


@pytest.fixture
def hard(made, tmp_path):
    return mz.Store(shutil.copytree(made, tmp_path / "store"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Make a store of a few rows that began lately: its daily tables are short."""
    store = empty_store(tmp_path_factory.mktemp("plain") / "store")
    store.relate("Ada", "works_at", "Mill", valid_from="2026-01-01", attributes=ATTRIBUTES[0])
    store.relate("Ada", "uses", "Tool", valid_from="2026-01-01", attributes=ATTRIBUTES[1])
    store.relate("Bob", "uses", "Tool", valid_from="2026-01-01", scope="team")
    store.relays.deposit(b"@p-e/x0\nref: relay-0009\n\nbody", relay_id="relay-0007")
    return store.path


@pytest.fixture
def store(plain, tmp_path):
    return mz.Store(shutil.copytree(plain, tmp_path / "store"))


def run(*words, code=0):
    result = CliRunner().invoke(cli, list(words))
    assert result.exit_code == code, result.output
    assert PASSWORD not in result.output
    assert result.stdout == ""
    return result.stderr


# --- every row -----------------------------------------------------------------------------------


def fits_jsonb(value):
    """Say what a jsonb takes, in another way than the tool does."""
    if isinstance(value, dict):
        return all(fits_jsonb(k) and fits_jsonb(v) for k, v in value.items())
    if isinstance(value, list):
        return all(map(fits_jsonb, value))
    if isinstance(value, Decimal):
        return abs(value.adjusted()) < 1000 and len(value.as_tuple().digits) < 1000
    return not isinstance(value, str) or "\0" not in value


def decoded(text):
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


def wanted(name, value):
    """Put a value of the extract as PostgreSQL should have it."""
    if isinstance(value, list):
        return [wanted("", item) for item in value]
    if name in {"attributes", "options", "table_versions"} and value is not None:
        found = decoded(value)
        return found if fits_jsonb(found) else value
    return value.replace("\0", "\N{SYMBOL FOR NULL}") if isinstance(value, str) else value


def got(name, value):
    json_names = {"attributes", "options", "table_versions"}
    return decoded(value) if name in json_names and value is not None else value


def in_order(found):
    return sorted(found, key=repr)


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """Keep the extract that a publish made; without it, what depends on now would differ."""
    real, target = catalog.extract, tmp_path / "kept.duckdb"

    def spied(snapshot, path, **options):
        found = real(snapshot, path, **options)
        shutil.copy(found, target)
        return found

    monkeypatch.setattr(catalog, "extract", spied)
    return target


def compare(server, extract, schema="mazarbul"):
    """Hold each table and view of PostgreSQL to the extract, row by row; return their names."""
    with closing(duckdb.connect(str(extract), read_only=True)) as held:
        held.execute("set TimeZone = 'UTC'")
        relations = held.execute(
            "select table_name, comment from duckdb_tables() union all "
            "select view_name, comment from duckdb_views() where not internal"
        ).fetchall()
        for name, comment in relations:
            expected = held.sql(f'from "{name}"').to_arrow_table().to_pylist()
            found = server.rows(f'select * from {schema}."{name}"')
            assert in_order([{k: got(k, v) for k, v in row.items()} for row in found]) == in_order(
                [{k: wanted(k, v) for k, v in row.items()} for row in expected]
            ), name
            said = f"select obj_description('{schema}.{name}'::regclass) as said"
            mark = publish.MARK if comment is None else f"{comment} {publish.MARK}"
            assert server.rows(said) == [{"said": mark}]
            columns = held.execute(
                "select column_name, comment from duckdb_columns() where table_name = ? "
                "order by column_index",
                [name],
            ).fetchall()
            said = server.rows(
                "select attname::text as name, col_description(attrelid, attnum) as said "
                f"from pg_attribute where attrelid = '{schema}.{name}'::regclass "
                "and attnum > 0 order by attnum"
            )
            assert [(row["name"], row["said"]) for row in said] == columns, name
        return {name for name, _ in relations}


def test_every_row_of_every_table(clean, hard, kept):
    done = hard.publish(clean.url())
    names = compare(clean, kept)
    assert names | {"published"} == set(done.rows) | set(done.views)
    assert done.views == ("relations_now",)
    assert done.rows["relation_history"] == 4 + len(ATTRIBUTES) + 1
    assert done.adapted["relation_history"] == len(STRINGS)
    assert done.adapted["relays"] == done.adapted["relay_references"] == 1
    strings = clean.rows(
        "select object from mazarbul.relation_history where jsonb_typeof(attributes) = 'string'"
    )
    assert {row["object"] for row in strings} == {f"Tool {n}" for n in STRINGS}
    spelled = clean.rows(
        "select attributes ->> 'role' as role, attributes #>> '{}' as text "
        "from mazarbul.relation_history where object in ('Tool 0', 'Tool 1') order by object"
    )
    assert spelled[0]["role"] == "dev"
    assert spelled[1] == {"role": None, "text": ATTRIBUTES[1]}


def test_types(clean, hard):
    hard.publish(clean.url(), relay_bytes=True)
    found = clean.rows(
        "select format_type(atttypid, atttypmod) as type, "
        "array_agg(distinct attname::text order by attname::text) as names "
        "from pg_attribute where attrelid in (select oid from pg_class "
        "where relnamespace = 'mazarbul'::regnamespace and relkind = 'r') and attnum > 0 group by 1"
    )
    names = {row["type"]: row["names"] for row in found}
    assert names["jsonb"] == ["attributes", "options", "table_versions"]
    assert {"named_by", "refs"} <= set(names["text[]"])
    assert names["bytea"] == ["record"]
    assert {"valid_from", "recorded_at", "deposited_at"} <= set(names["timestamp with time zone"])
    ((first, last),) = [
        row.values()
        for row in clean.rows(
            "select min(valid_from)::text as f, max(valid_to)::text as t "
            "from mazarbul.relation_history"
        )
    ]
    assert (first, last) == ("0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00")
    (record,) = clean.rows("select record from mazarbul.relays where relay_id = 'relay-0003'")
    assert record["record"] == hard.relays.get("relay-0003")


def test_again_after_a_change(clean, store, kept):
    store.publish(clean.url())
    before = clean.rows("select oid from pg_class where relname in ('relays', 'relations_now')")
    store.relate("Ada", "works_at", "Forge", valid_from="2024-01-01", exclusive=True)
    store.relate("Zoë", "knows", "Ada", valid_from="2024-01-01")
    done = store.publish(clean.url())
    compare(clean, kept)
    count = "select count(*) as n from relation_history"
    assert done.rows["relation_history"] == rows(store.sql(count))[0]["n"]
    after = clean.rows("select oid from pg_class where relname in ('relays', 'relations_now')")
    assert after == before  # nothing was made anew
    (about,) = clean.rows("select * from mazarbul.published")
    assert about["store"] == str(store.path)
    assert about["tool_version"] == mz.__version__
    assert about["newest_commit"] == store.info()["newest_commit"]
    assert json.loads(about["table_versions"]) == {
        name: table["version"] for name, table in store.info()["tables"].items()
    }
    assert abs(about["published_at"] - datetime.now(UTC)).total_seconds() < 3600


def test_an_empty_store(clean, tmp_path, kept):
    done = empty_store(tmp_path / "empty").publish(clean.url())
    compare(clean, kept)
    assert done.rows["relation_history"] == 0
    assert not done.adapted


def test_a_schema_of_any_name(clean, store, kept):
    done = store.publish(clean.url(), schema='Ünï "x" %')
    assert done.schema == 'Ünï "x" %'
    store.publish(clean.url(), schema='Ünï "x" %')
    compare(clean, kept, '"Ünï ""x"" %"')


# --- readers and what is theirs ------------------------------------------------------------------


@contextmanager
def session(server, *statements, **where):
    """Give a function that asks in one open transaction, begun by some statements."""
    with server.connect(autocommit=False, **where) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)

        def ask(query):
            cursor.execute(query)
            return cursor.fetch_arrow_table().to_pylist()

        yield ask
        connection.rollback()


def waiting(server, number):
    """Wait until so many sessions wait for a lock; return their process ids."""
    query = (
        "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = 'bi' "
        "and pid <> pg_backend_pid()"
    )
    for _ in range(600):
        if len(found := server.rows(query)) == number:
            return [row["pid"] for row in found]
        time.sleep(0.05)
    raise AssertionError(found)


@contextmanager
def stopped_midway(server, store):
    """Start a publish in a process of its own that waits for a lock when most tables are copied."""
    hold = "lock table mazarbul.relays in share mode"
    command = [sys.executable, "-m", "mazarbul_analytics.cli", "--store", str(store.path)]
    with session(server, hold):
        process = subprocess.Popen(
            [*command, "publish", server.url()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(store.path.parent)},  # one is killed, and cannot tidy
        )
        (pid,) = waiting(server, 1)
        yield process, pid
    process.wait(timeout=60)


def test_readers_have_the_old_rows_until_the_commit(clean, store):
    store.publish(clean.url())
    store.relate("Zoë", "knows", "Ada", valid_from="2024-01-01")
    old = clean.rows(LIVE)
    begin = "set transaction isolation level repeatable read"
    with session(clean, begin) as steady:
        assert steady(LIVE) == old
        with stopped_midway(clean, store) as (process, _):
            assert clean.rows(LIVE) == old  # a new reader waits for nothing and sees nothing
            assert clean.rows("select 1 from mazarbul.relations_now where subject = 'Zoë'") == []
        out, err = process.communicate()
        assert (process.returncode, out) == (0, ""), err
        assert steady(LIVE) == old
    assert clean.rows(LIVE)[0]["n"] == old[0]["n"] + 1


def state(server):
    """Take all of our tables as text, and what PostgreSQL itself would give as changed."""
    tables = server.rows(
        "select relname::text as name from pg_class "
        "where relnamespace = 'mazarbul'::regnamespace and relkind in ('r', 'v') order by 1"
    )
    return {
        row["name"]: server.rows(
            f"select t::text as row from mazarbul.{row['name']} as t order by 1"
        )
        for row in tables
    }


@pytest.mark.parametrize("how", ["killed", "interrupted", "cut off"])
def test_a_publish_that_ends_midway_leaves_the_old_rows(clean, store, how):
    store.publish(clean.url())
    before = state(clean)
    store.relate("Zoë", "knows", "Ada", valid_from="2024-01-01")
    with stopped_midway(clean, store) as (process, pid):
        if how == "killed":
            process.send_signal(signal.SIGKILL)
        elif how == "interrupted":
            process.send_signal(signal.SIGINT)
        else:
            clean.rows(f"select pg_terminate_backend({pid})")
        process.wait(timeout=60)
    out, err = process.communicate()
    if how == "interrupted":
        assert (process.returncode, err) == (130, "interrupted\n")
    if how == "cut off":
        assert process.returncode == 1
        assert len(err.splitlines()) == 2
        assert err.startswith("error: PostgreSQL: ")
        assert err.endswith("Nothing was changed.\n")
    assert out == ""
    for _ in range(600):  # a killed client is noticed when the server next writes to it
        if not clean.rows("select from pg_stat_activity where datname = 'bi' and pid = %d" % pid):
            break
        time.sleep(0.05)
    assert state(clean) == before
    store.publish(clean.url())
    assert clean.rows(LIVE)[0]["n"] == len(before["relation_history"]) + 1


def test_two_publishes_queue(clean, store):
    store.publish(clean.url())
    with stopped_midway(clean, store) as (first, _):
        impatient = clean.url(options="-c lock_timeout=200ms")
        err = run("--store", str(store.path), "publish", impatient, code=1)
        assert "lock timeout" in err
        assert "try again" in err
        second = subprocess.Popen(
            [*first.args[:-1], clean.url()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        waiting(clean, 2)
    first.communicate()
    _, err = second.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0), err
    assert clean.rows(LIVE) == [{"n": 3}]  # once, not twice


def test_views_grants_functions_and_indices_of_others_survive(clean, store):
    store.publish(clean.url())
    clean.run(
        f"create role bi_reader login password '{PASSWORD}'",
        "grant usage on schema mazarbul to bi_reader",
        "grant select on all tables in schema mazarbul to bi_reader",
        "create view public.uses as select object from mazarbul.relations_now "
        "where predicate = 'uses'",
        "create index mine on mazarbul.relation_history ((attributes ->> 'role'))",
        "create table mazarbul.notes as select 'keep me' as note",
        "create view mazarbul.counted as select count(*) as n from mazarbul.entities",
    )
    try:
        store.relate("Ada", "uses", "Hammer", valid_from="2024-01-01")
        store.publish(clean.url())
        store.publish(clean.url(), relay_bytes=True)  # other columns of relays alone
        seen = clean.rows("select object from mazarbul.relations_now", role="bi_reader")
        assert {"object": "Hammer"} in seen
        assert {"object": "Hammer"} in clean.rows("select * from public.uses")
        assert clean.rows("select note from mazarbul.notes") == [{"note": "keep me"}]
        assert clean.rows("select n from mazarbul.counted")[0]["n"] == store.info()["entities"]
        assert clean.rows("select 1 as there from pg_class where relname = 'mine'")
    finally:
        clean.run("drop owned by bi_reader", "drop role bi_reader")


# --- other columns, other tables, tables of others -----------------------------------------------


def test_a_table_with_other_columns_is_made_anew(clean, store, kept):
    store.publish(clean.url())
    clean.run(
        "alter table mazarbul.relation_history add column more text",
        "alter table mazarbul.relay_holes alter column count type integer",
    )
    store.publish(clean.url())
    compare(clean, kept)
    store.publish(clean.url(), relay_bytes=True)
    compare(clean, kept)
    store.publish(clean.url())
    compare(clean, kept)


def test_a_view_that_says_something_else_is_replaced(clean, store, kept):
    store.publish(clean.url())
    definition = clean.rows("select pg_get_viewdef('mazarbul.relations_now'::regclass) as said")
    other = definition[0]["said"].rstrip(";") + " and false"
    clean.run(f"create or replace view mazarbul.relations_now as {other}")
    assert clean.rows("select * from mazarbul.relations_now") == []
    store.publish(clean.url())
    compare(clean, kept)


def test_what_the_store_has_no_more_is_dropped(clean, store):
    store.publish(clean.url())
    clean.run(
        "create table mazarbul.of_yore (a int)",
        "comment on table mazarbul.of_yore is 'Old. [published by mazarbul]'",
        "create view mazarbul.old_view as select * from mazarbul.of_yore",
        "comment on view mazarbul.old_view is '[published by mazarbul]'",
    )
    store.publish(clean.url())
    assert not clean.rows("select 1 as n from pg_class where relname in ('of_yore', 'old_view')")


@pytest.mark.parametrize(
    ("mine", "named"),
    [
        ("create view public.mine as select * from mazarbul.relays", "view public.mine"),
        (
            "create view public.mine as select relay_id from mazarbul.relays",
            "view public.mine",
        ),
        (
            "create function public.mine(mazarbul.relays) returns int language sql as 'select 1'",
            "function public.mine",
        ),
        (
            "create materialized view public.mine as select * from mazarbul.relays",
            "materialized view public.mine",
        ),
    ],
)
def test_what_depends_on_a_table_that_has_to_go_is_named(clean, store, mine, named):
    store.publish(clean.url())
    clean.run(mine, "alter table mazarbul.relays add column more text")
    before = state(clean)
    store.relate("Zoë", "knows", "Ada", valid_from="2024-01-01")
    with pytest.raises(mz.StoreError, match="Nothing was changed") as failure:
        store.publish(clean.url())
    first, second = str(failure.value).splitlines()
    assert named in first
    assert "Drop that" in second
    assert state(clean) == before
    clean.run("alter table mazarbul.relays drop column more")
    store.publish(clean.url())
    assert state(clean) != before


@pytest.mark.parametrize(
    "theirs",
    [
        "create table mazarbul.relays (a int)",
        "create view mazarbul.relations_now as select 1 as a",
        "create view mazarbul.entities as select 1 as a",
        "create sequence mazarbul.imports",
        "create materialized view mazarbul.published as select 1 as a",
    ],
)
def test_what_no_publish_made_is_not_touched(clean, store, theirs):
    clean.run("create schema mazarbul", theirs)
    name = re.search(r"mazarbul\.(\w+)", theirs)[1]
    err = run("--store", str(store.path), "publish", clean.url(), code=1)
    assert len(err.splitlines()) == 2
    assert f"mazarbul.{name} is there and no publish made it" in err
    assert "--schema" in err
    there = (
        "select relname::text as name from pg_class where relnamespace = 'mazarbul'::regnamespace"
    )
    assert clean.rows(there) == [{"name": name}]
    run("--store", str(store.path), "publish", clean.url(), "--schema", "other")


# --- refusals ------------------------------------------------------------------------------------


def test_who_may_not(clean, store):
    """No right to make the schema; none to write into it; tables of another role."""
    clean.run(f"create role stranger login password '{PASSWORD}'", "create schema guarded")
    try:
        url = clean.url(role="stranger")
        err = run("--store", str(store.path), "publish", url, code=1)
        assert "permission denied for database bi" in err
        assert len(err.splitlines()) == 2
        clean.run("grant usage on schema guarded to stranger")
        err = run("--store", str(store.path), "publish", url, "--schema", "guarded", code=1)
        assert "no right to create tables in the schema guarded" in err
        assert len(err.splitlines()) == 2
        store.publish(clean.url())
        before = state(clean)
        clean.run("grant all on schema mazarbul to stranger")
        err = run("--store", str(store.path), "publish", url, code=1)
        assert len(err.splitlines()) == 2
        assert "Nothing was changed." in err
        assert state(clean) == before
        clean.run("create schema own authorization stranger")
        run("--store", str(store.path), "publish", url, "--schema", "own")
    finally:
        clean.run("drop owned by stranger cascade", "drop role stranger")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"password": "wr0ng:pass"}, "password authentication failed"),
        ({"database": "nowhere"}, 'database "nowhere" does not exist'),
        ({"role": "nobody"}, "password authentication failed"),
        ({"sslmode": "require"}, "SSL"),
    ],
)
def test_no_connection(clean, store, how, said):
    err = run("--store", str(store.path), "publish", clean.url(**how), code=1)
    assert said in err
    assert "wr0ng" not in err
    assert len(err.splitlines()) == 2


def test_a_database_of_another_encoding(clean, hard):
    clean.run("create database narrow encoding 'LATIN1' template template0 locale 'C'")
    try:
        err = run("--store", str(hard.path), "publish", clean.url(database="narrow"), code=1)
        assert "LATIN1" in err
        assert "UTF8" in err
        there = "select 1 as n from pg_namespace where nspname = 'mazarbul'"
        assert clean.rows(there, database="narrow") == []
    finally:
        clean.run("drop database narrow")


def test_settings_of_the_server_change_nothing(clean, store, kept):
    settings = (
        "standard_conforming_strings = off",
        "client_encoding = 'LATIN1'",
        "timezone = 'Asia/Tokyo'",
        "default_transaction_read_only = on",
        "default_transaction_isolation = 'serializable'",
        "search_path = 'nowhere'",
        "intervalstyle = 'sql_standard'",
    )
    try:
        clean.run(
            *(f"alter database bi set {setting}" for setting in settings), database="postgres"
        )
        store.publish(clean.url())
        store.publish(clean.url())
    finally:
        clean.run("alter database bi reset all", database="postgres")
    compare(clean, kept)


# --- the command and the docs --------------------------------------------------------------------


def test_the_command(clean, store, monkeypatch):
    monkeypatch.setenv("ENABLE_MEMORY", "false")  # as catalog --extract: the store is only read
    err = run("--store", str(store.path), "publish", clean.url())
    lines = err.splitlines()
    found = clean.rows(LIVE)[0]["n"]
    assert re.fullmatch(
        r"published into the schema mazarbul: \d+ tables, [\d,]+ rows and 1 view", lines[0]
    )
    assert f"  relation_history: {found:,} rows" in lines
    assert lines[-1].startswith("note: 1 rows of relation_history are spelled otherwise")


def test_the_example_of_the_help(clean, store):
    example = example_of(cli.get_command(None, "publish"))
    url = re.search(r"postgresql://\S+", example)[0]
    words = example.replace(url, clean.url()).split()
    run("--store", str(store.path), *words[1:])


def test_nothing_secret_is_logged(clean, store, caplog):
    caplog.set_level("DEBUG")
    store.publish(clean.url())
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert "postgresql: copy mazarbul.relation_history" in said
    assert PASSWORD not in said
    assert clean.url() not in said


def blocks():
    text = DOCS.read_text(encoding="utf-8")
    return re.findall(r"```sql\n(.*?)```", text, re.DOTALL)


AT, AS_OF = "2020-06-01T00:00:00Z", "2100-01-01T00:00:00Z"


def live(store, at, as_of):
    query = "select subject, predicate, object from relations_at($at, $as_of)"
    found = rows(store.sql(query, params={"at": at, "as_of": as_of}))
    return sorted(tuple(row.values()) for row in found)


def told(text, *places):
    """Take columns of what psql printed."""
    lines = [line.split("|") for line in text.splitlines()]
    return sorted(tuple(line[p] for p in places) for line in lines)


def filled(block, **variables):
    """Replace Grafana's macros as its data source does, and Metabase's variables."""
    start, end = "2020-01-01T00:00:00Z", "2099-12-31T00:00:00Z"
    seconds = r'floor(extract(epoch from \1)/86400)*86400 AS "time"'
    block = re.sub(r"\$__timeGroupAlias\(([^),]*), '1d'\)", seconds, block)
    block = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 BETWEEN '{start}' AND '{end}'", block)
    block = block.replace("$__timeTo()", f"'{end}'")
    given = "as_of" in variables
    block = re.sub(r"\[\[(.*?)\]\]", r"\1" if given else "", block)
    for name, value in variables.items():
        block = block.replace("{{%s}}" % name, f"'{value}'")
    assert not re.search(r"\$__|\{\{|\[\[", block)
    return block


def test_the_sql_of_the_docs(clean, hard):
    """Each block, in order; those of two time axes against what the store itself answers."""
    setup, at_psql, function, call, daily, table, midnights, series, metabase = blocks()
    clean.run(
        f"create role ledger login password '{PASSWORD}'",
        f"create role bi login password '{PASSWORD}'",
    )
    try:
        clean.psql(setup)
        hard.publish(clean.url(role="ledger"))
        clean.run("alter role boss in database bi set timezone = 'Asia/Tokyo'")
        first = hard.sql("select min(recorded_at) as t from relation_history").fetchall()[0][0]
        clean.psql(function)
        for at in (AT, "1800-01-01T00:00:00Z", "2020-01-01T00:00:00Z"):
            for as_of in (AS_OF, first.isoformat(), "2000-01-01T00:00:00Z"):
                everything = live(hard, at, as_of)
                scoped = [
                    (r["subject"], r["predicate"], r["object"])
                    for r in rows(
                        hard.sql(
                            "select * from relations_at($at, $as_of) where scope <> 'team'",
                            params={"at": at, "as_of": as_of},
                        )
                    )
                ]
                assert told(clean.psql(at_psql, at=at, as_of=as_of), 0, 1, 2) == sorted(scoped)
                asked = (
                    "select subject, predicate, object "
                    f"from mazarbul.relations_at('{at}', '{as_of}')"
                )
                assert told(clean.psql(asked), 0, 1, 2) == everything
                block = filled(metabase, at=at, as_of=as_of)
                assert told(clean.psql(block), 0, 1, 2) == everything
        assert len(live(hard, AT, AS_OF)) > 5
        assert told(clean.psql(filled(metabase, at=AT)), 0, 1, 2) == live(hard, AT, None)
        asked = "select subject, predicate, object from mazarbul.relations_at(null, null)"
        assert told(clean.psql(asked), 0, 1, 2) == live(hard, None, None)
        assert told(clean.psql(call), 0) == []
        end = "2099-12-31T00:00:00Z"
        assert told(clean.psql(filled(table)), 0, 1, 2) == live(hard, end, end)
        shown = told(clean.psql(filled(midnights)), 0, 1, 2)
        expected = clean.rows(
            'select "at"::text as at, predicate, live::text from '
            "mazarbul.relation_activity_daily where \"at\" >= '2020-01-01Z'",
            options="-c timezone=Asia/Tokyo",
        )
        assert shown == sorted(tuple(row.values()) for row in expected)
        assert len(shown) > 1000
        counted = told(clean.psql(filled(series)), 1, 2)
        assert sum(int(n) for _, n in counted) == clean.rows(LIVE)[0]["n"]
        activity = hard.activity(
            "2025-01-01", "2025-12-31", "1d", scopes=["project", "personal", "team"]
        )
        expected = sorted(
            (row["predicate"], str(row["live"])) for row in rows(activity) if row["live"]
        )
        assert told(clean.psql(daily), 1, 2) == expected
        hard.publish(clean.url(role="ledger"))  # with the function there
        assert clean.rows("select * from mazarbul.relations_now", role="bi")
    finally:
        clean.run(
            "alter role boss in database bi reset all",
            *(f"drop owned by {role} cascade" for role in ("ledger", "bi")),
            *(f"drop role {role}" for role in ("ledger", "bi")),
        )
