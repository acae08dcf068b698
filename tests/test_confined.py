"""What `mazarbul sql` may do: read the store, and nothing else, however the query is put."""

from __future__ import annotations

import json
import shutil

import duckdb
import pytest
from click.testing import CliRunner
from engine import rows
from stores import small_store

import mazarbul_analytics as mz
from mazarbul_analytics.cli import cli
from mazarbul_analytics.engine.confined import admit, confine
from mazarbul_analytics.engine.connection import connect
from mazarbul_analytics.quoting import literal
from mazarbul_analytics.tables import snapshots

ELSEWHERE = "no business of the store's"


@pytest.fixture
def store(tmp_path):
    """Make a store with sealed and unsealed files, and a file of no concern beside it."""
    store = small_store(tmp_path / "store")
    store.optimize()
    store.relate("Ada", "knows", "Cyd", valid_from="2021-01-01")
    (tmp_path / "secret.csv").write_text(ELSEWHERE, encoding="utf-8")
    return store


def listed(folder):
    """List every file with its size and its time."""
    found = (p for p in folder.rglob("*") if p.is_file())
    return {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in found}


def ask(store, *args):
    return CliRunner().invoke(cli, ["--store", str(store.path), "sql", *args])


COPY = "with x as (copy (select 1 as a) to '{store}/{to}') from x"

ESCAPES = [
    "from read_csv('{folder}/secret.csv')",
    "from '{folder}/secret.csv'",
    'from "{folder}/secret.csv"',
    "from read_text('{folder}/secret.csv')",
    "from read_blob('{folder}/secret.csv')",
    "from READ_TEXT('{folder}/secret.csv')",
    "from system.main.read_text('{folder}/secret.csv')",
    "select (select content from read_text('{folder}/secret.csv'))",
    "with x as (from read_text('{folder}/secret.csv')) from x",
    "from entities, lateral (from read_text('{folder}/secret.csv'))",
    "from read_text('{store}/relations/../../secret.csv')",
    "from read_text('/etc/passwd') as \"\\\"",
    "from glob('/etc/*')",
    "from glob('*')",
    "from sniff_csv('{folder}/secret.csv')",
    "from parquet_metadata('{store}/entities/*.parquet')",
    "from read_duckdb('{store}/catalog.duckdb', table_name = 'entities')",
    "from query('from read_text(''{folder}/secret.csv'')')",
    "from query_table('{folder}/secret.csv')",
    "with p as (select 1) from point_in_time('{folder}/secret.csv')",
    "from duckdb_secrets()",
    "from duckdb_extensions()",
    "copy (select 1) to '{folder}/out.csv'",
    "copy (select 1) to '{store}/out.csv'",
    COPY.replace("{to}", "out.csv"),
    COPY.replace("{to}", "relations/out.csv"),
    COPY.replace("{to}", "relations/_delta_log/00000000000000000009.json"),
    "with x as materialized (copy (select 1) to '{store}/entities/out.csv') select 1",
    "select * from (" + COPY.replace("{to}", "entities/out.csv") + ")",
    "with x as (insert into entities_files values (null) returning *) from x",
    "with x as (delete from entities_files returning *) from x",
    "from json_execute_serialized_sql('{serialized}')",
    "from query('from json_execute_serialized_sql(''{serialized}'')')",
    "from enable_logging(level = 'debug', storage = 'file')",
    "from register_external_resource('a', 'b', map {}, 'c', 'd', 'e')",
    "attach '{folder}/other.duckdb' as other",
    "attach ':memory:' as other",
    "install httpfs",
    "load httpfs",
    "load '{folder}/secret.csv'",
    "set threads = 1",
    "set enable_external_access = true",
    "reset enable_external_access",
    "pragma enable_profiling",
    "export database '{folder}/out'",
    "create table t (a int)",
    "create secret (type s3)",
    "select 1; select 2",
    "update extensions",
    "select '\udcff'",
    "pivot relations_now on predicate using count(*)",
    "explain analyze " + COPY.replace("{to}", "entities/out.csv"),
]


@pytest.mark.parametrize("query", ESCAPES)
def test_the_command_refuses(store, tmp_path, query):
    write = COPY.format(store=store.path, to="entities/out.csv")
    with duckdb.connect() as scratch:
        (serialized,) = scratch.execute("select json_serialize_sql($1)", [write]).fetchone()
    query = query.replace("{serialized}", serialized.replace("'", "''"))
    query = query.replace("{folder}", str(tmp_path)).replace("{store}", str(store.path))
    before = listed(tmp_path)
    done = ask(store, query)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert 1 <= len(done.stderr.splitlines()) <= 2
    assert done.stderr.startswith("error: ")
    assert ELSEWHERE not in done.stderr
    assert listed(tmp_path) == before


ADMITTED = [
    ("select subject, object from relations_now order by object", 2),
    ("from relation_history", 2),
    ("from entities", 3),
    ("with x as (from relations_now), y as (from x) from y", 2),
    ("from relations_at('2020-06-01', null)", 1),
    ("from memory.main.RELATIONS_AT('2020-06-01', null)", 1),
    ("from relations_at($at, $as_of)", 2),
    ("from relation_activity('2020-01-01', '2022-01-01', interval 1 year)", 3),
    (
        "with p as (select entity_uid, timestamptz '2022-01-01' as at, null as as_of from entities)"
        " from point_in_time('p') where relation_uid is not null",
        2,
    ),
    ("from entities union all from entities", 6),
    ("with recursive t as (select 1 as a union all select a + 1 from t where a < 5) from t", 5),
    ("from range(3)", 3),
    ("from generate_series(1, 3)", 3),
    ("select unnest([1, 2])", 2),
    ("from unnest([1, 2])", 2),
    ("select 'copy (select 1) to ''x''', '\"type\":\"COPY_QUERY_NODE\"' as \"read_csv()\"", 1),
    ("from histogram(entities, name)", 3),
    ("summarize select 1 as a", 1),
    ("from duckdb_settings() where name = 'lock_configuration' and value = 'true'", 1),
    ("from pragma_table_info('relations_now') limit 1", 1),
    ("select 1" + " + 1" * 900, 1),
    ("select 1 where 1 = 1" + " or 1 = 2" * 3000, 1),
]


@pytest.mark.parametrize(("query", "count"), ADMITTED, ids=[q[:60] for q, _ in ADMITTED])
def test_the_command_answers(store, query, count):
    done = ask(store, query)
    assert done.exit_code == 0, done.output
    assert len(done.stdout.splitlines()) == count


def test_no_variable_of_the_program_is_a_table(store):
    """The engine would look for a table among the variables of the function that calls it."""
    query, values = "select * from params where $at is null", {"at": None}
    with pytest.raises(mz.QueryError, match="Python"):
        store.sql(query, params=values)
    with pytest.raises(mz.QueryError, match="params does not exist"):
        store.sql(query, params=values, confined=True)


def test_python_is_confined_only_where_it_asks(store, tmp_path):
    secret = f"select content from read_text({literal(str(tmp_path / 'secret.csv'))})"
    assert rows(store.sql(secret)) == [{"content": ELSEWHERE}]
    with pytest.raises(mz.QueryError, match="read_text"):
        store.sql(secret, confined=True)
    assert rows(store.sql(secret)) == [{"content": ELSEWHERE}]
    count = "select count(*) as n from relations_at($at, null)"
    asked = {"params": {"at": "2022-01-01"}, "confined": True}
    assert rows(store.sql(count, **asked)) == [{"n": 2}]
    store.relate("Ada", "knows", "Dee", valid_from="2021-01-01")
    assert rows(store.sql(count, **asked)) == [{"n": 3}]
    store.close()
    assert rows(store.sql(count, **asked)) == [{"n": 3}]


def test_what_the_engine_cannot_take_apart_is_refused():
    class Engine:
        def scalar(self, _sql, _params):
            return json.dumps({"error": True}, separators=(",", ":"))

    with pytest.raises(mz.QueryError, match="cannot look through"):
        admit(Engine(), "select 1")


# --- the engine's own belt -----------------------------------------------------------------------


def confined(store, scratch=None, limit=None):
    snapshot = snapshots.snapshot(store.path)
    connection = connect(snapshot, scratch=scratch)
    if limit is not None:
        connection.execute(f"set memory_limit = {literal(limit)}")
    confine(connection, snapshot)
    return connection


LOCKED = [
    "from read_csv('{folder}/secret.csv')",
    "from read_text('{folder}/secret.csv')",
    "from read_text('{store}/../secret.csv')",
    "from read_text('{store}/relations/../../secret.csv')",
    "from read_text('{store}/relations/link.csv')",
    "from read_text('{store}/relations/linked/secret.csv')",
    "from read_text('{store}/linked/secret.csv')",
    "from read_text('{store}/relations-more/secret.csv')",
    "from read_text('{store}/.writer')",
    "from glob('/etc/*')",
    "from glob('{store}/*')",
    "from glob('{store}/relations/../../*')",
    "copy (select 1) to '{folder}/out.csv'",
    "copy (select 1) to '{store}/out.csv'",
    "attach '{folder}/other.duckdb' as other",
    "attach '{store}/catalog.duckdb' as other (read_only)",
    "export database '{folder}/out'",
    "install httpfs",
    "load httpfs",
    "from 'https://example.org/a.parquet'",
    "set enable_external_access = true",
    "set allowed_directories = ['/']",
    "set allowed_paths = ['/etc/passwd']",
    "set temp_directory = '{folder}'",
    "set lock_configuration = false",
    "reset lock_configuration",
    "set memory_limit = '1GB'",
    "set TimeZone = 'Asia/Tokyo'",
]


@pytest.mark.parametrize("query", LOCKED)
def test_the_engine_refuses(store, tmp_path, query):
    (store.path / "relations" / "link.csv").symlink_to(tmp_path / "secret.csv")
    (store.path / "relations" / "linked").symlink_to(tmp_path)
    (store.path / "linked").symlink_to(tmp_path)
    (store.path / "relations-more").mkdir()
    shutil.copy(tmp_path / "secret.csv", store.path / "relations-more")
    connection = confined(store)
    before = listed(tmp_path)
    query = query.replace("{folder}", str(tmp_path)).replace("{store}", str(store.path))
    with pytest.raises((duckdb.PermissionException, duckdb.InvalidInputException)) as refused:
        connection.raw.execute(query).fetchall()
    assert "disabled" in str(refused.value) or "locked" in str(refused.value)
    assert listed(tmp_path) == before
    assert connection.scalar("select count(*) from relations_now") == 2
    connection.close()


NAMES = ["a?b", "a*b", "a[1]", "it's", 'say "so"', "a, b", "ü é", "semi;colon", "$at", "..b", "~"]


@pytest.mark.parametrize("name", NAMES)
def test_a_store_of_any_name(tmp_path, name):
    store = small_store(tmp_path / name)
    store.optimize()
    store.relate("Ada", "knows", "Cyd", valid_from="2021-01-01")
    done = ask(store, "select count(*) as n from relations_now")
    assert (done.exit_code, done.stdout) == (0, '{"n":2}\n'), done.output
    connection = confined(store)
    with pytest.raises(duckdb.PermissionException):
        connection.raw.execute(f"from glob({literal(str(tmp_path / '*'))})")
    connection.close()


@pytest.mark.parametrize(
    "what", ["store", "relations", "relations/_by_object", "entities/*", "relations/*.parquet"]
)
def test_links_that_the_keeper_made(store, tmp_path, what):
    """The store, a table or a file of it may lie on another disk."""
    for place in [store.path] if what == "store" else list(store.path.glob(what)):
        if place.suffix == ".parquet" or what != "entities/*":
            target = tmp_path / "disk" / place.name
            target.parent.mkdir(exist_ok=True)
            shutil.move(place, target)
            place.symlink_to(target)
    for query in (
        "select count(*) as n from relations_now",
        "select count(*) as n from relation_versions_by_object",
    ):
        done = ask(store, query)
        assert (done.exit_code, done.stdout) == (0, '{"n":2}\n'), done.output


def test_a_path_from_the_working_directory(store, tmp_path, monkeypatch):
    assert store.path == tmp_path / "store"
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    done = ask(mz.Store("../store"), "select count(*) as n from relations_now")
    assert (done.exit_code, done.stdout) == (0, '{"n":2}\n'), done.output


def test_an_empty_store(tmp_path):
    done = ask(mz.Store(tmp_path / "store", create=True), "select count(*) as n from relations_now")
    assert (done.exit_code, done.stdout) == (0, '{"n":0}\n'), done.output


def test_a_large_query_still_spills(store, tmp_path):
    spill = tmp_path / "spill"
    connection = confined(store, scratch=spill, limit="40MB")
    sorted_rows = "select hash(i) as h, i from range(3_000_000) t(i) order by h"
    result = connection.raw.execute(sorted_rows)
    first = result.fetchmany(10)
    assert sum(p.stat().st_size for p in spill.iterdir()) > 0
    assert first == sorted(first)
    connection.close()
    distinct = "select count(*) from (select distinct hash(i), i from range(3_000_000) t(i))"
    connection = confined(store, scratch=spill, limit="40MB")
    assert connection.scalar(distinct) == 3_000_000
    connection.close()


def test_caches_go_on(store):
    connection = confined(store)
    on = "select bool_and(value = 'true') from duckdb_settings() where name in "
    caches = ("parquet_metadata_cache", "enable_external_file_cache")
    assert connection.scalar(f"{on} {caches}")
    assert connection.scalar("select current_setting('TimeZone')") == "UTC"
    connection.close()
