"""What publish refuses without any server: URLs, schemas, no driver; no password is ever shown."""

from __future__ import annotations

import socket

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import python, small_store

import mazarbul_analytics as mz
from mazarbul_analytics.cli import cli
from mazarbul_analytics.door import parts, postgres
from mazarbul_analytics.engine.connection import connect

SECRET = "s3cr3t"  # noqa: S105 - no password


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store") / "store")


def publish(store, *words, code):
    result = CliRunner().invoke(cli, ["--store", str(store.path), "publish", *words])
    assert result.exit_code == code, result.output
    assert SECRET not in result.output
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert 1 <= len(result.stderr.splitlines()) <= 2
    return result.stderr


@pytest.mark.parametrize(
    "url",
    [
        f"host=localhost password={SECRET}",
        f"mysql://u:{SECRET}@localhost/x",
        f"postgresql+psycopg://u:{SECRET}@localhost/x",
        f"POSTGRESQL://u:{SECRET}@localhost/x",
        f"postgresql:u:{SECRET}",
        SECRET,
        "",
        f"postgresql://u:{SECRET}@x@localhost/x",
        f"postgresql://u:{SECRET}/x@localhost/x",
        f"postgresql://u:1/{SECRET}@localhost/x",
        f"postgresql://u:{SECRET}?x@localhost/x",
        f"postgresql://u:1?{SECRET}@localhost/x",
        f"postgresql://u:{SECRET}#x@localhost/x",
        f"postgresql://u:{SECRET}%zz@localhost/x",
        f"postgresql://u:{SECRET}%@localhost/x",
        f"postgresql://u:{SECRET}%00@localhost/x",
        f"postgresql://u:{SECRET}\n@localhost/x",
        f"postgresql://u:{SECRET} x@localhost/x",
        f"postgresql://u:p@localhost:{SECRET}/x",
        f"postgresql://u:p@localhost:1:{SECRET}/x",
        f"postgresql://u:p@[::1]{SECRET}/x",
    ],
)
def test_what_is_no_url(store, url):
    assert "PostgreSQL" in publish(store, url, code=2)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://",
        "postgres:///bi",
        "postgresql://h/bi",
        "postgresql://u@h:5432,g:5433/bi?target_session_attrs=read-write",
        "postgresql://u:%40%3A%2F@[::1]:5432/bi",
        "postgresql:///bi?host=/var/run/postgresql&service=bi",
    ],
)
def test_what_is_a_url(url):
    postgres.refuse_url(url)


@settings(deadline=None)
@given(
    before=st.text(max_size=8),
    after=st.text(max_size=8),
    place=st.sampled_from(["userinfo", "query"]),
)
def test_no_message_holds_a_password(before, after, place):
    """Whatever stands around it unescaped: refused, or asked of a server that is not there."""
    password = f"{before}{SECRET}{after}"
    url = {
        "userinfo": f"postgresql://u:{password}@127.0.0.1:1/x",
        "query": f"postgresql://127.0.0.1:1/x?password={password}",
    }[place]
    try:
        postgres.Server(url)
    except mz.MazarbulError as error:
        said = [str(error), *map(str, error.args), str(getattr(error, "value", ""))]
        assert not any(SECRET in text for text in said), said
    else:
        raise AssertionError(url)


def test_a_host_that_is_not_there(store):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        port = taken.getsockname()[1]
        err = publish(store, f"postgresql://u:{SECRET}@127.0.0.1:{port}/x", code=1)
    assert "cannot connect" in err
    assert str(port) in err


@pytest.mark.parametrize(
    "name", ["", "x" * 64, "ß" * 32, "pg_mine", "information_schema", "a\0b", "\udc80"]
)
def test_what_is_no_schema(store, name):
    with pytest.raises(mz.InvalidValue, match="schema"):
        store.publish("postgresql://127.0.0.1:1/x", schema=name)


@pytest.mark.parametrize("missing", ["adbc_driver_postgresql", "adbc_driver_manager", "sqlglot"])
def test_without_the_extra(store, missing):
    code = """
        import sys
        sys.modules[sys.argv.pop(1)] = None
        from mazarbul_analytics.cli import main
        main()
    """
    done = python(code, missing, "--store", store.path, "publish", f"postgresql://u:{SECRET}@h/x")
    assert done[:2] == (1, "")
    (line,) = done[2].splitlines()
    assert "pip install 'mazarbul-analytics[postgres]'" in line


def test_every_type_of_the_extract_is_carried(store, tmp_path):
    store.catalog(extract=tmp_path / "x.duckdb")
    connection = connect()
    connection.execute(f"attach '{tmp_path / 'x.duckdb'}' as x")
    connection.execute("use x")
    found = {part.name: part for part in parts.of(connection)}
    kinds = connection.rows("select table_name from information_schema.tables")
    connection.close()
    assert set(found) == {name for (name,) in kinds}
    assert found["relations_now"].kind == "view"
    assert {c.type for c in found["relation_history"].columns} == {
        "text",
        "bigint",
        "jsonb",
        "timestamp with time zone",
    }
