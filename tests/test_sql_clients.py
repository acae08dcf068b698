"""The clients of docs/sql-clients.md do what it says, and see new commits as it says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import duckdb
import nbformat
import pytest
import sqlalchemy as sa
from docblocks import blocks, run
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from stores import python, small_store

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sql-clients.md"
QUIET = {"PLOOMBER_STATS_ENABLED": "false", "MARIMO_SKIP_UPDATE_CHECK": "1"}
"""Nothing that a test starts asks for newer releases or tells who uses it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run the page's Python once, where a notebook beside it finds the store."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "data").symlink_to(ROOT / "data")
    before = Path.cwd()
    os.chdir(folder)
    space = {}
    try:
        run(PAGE, space)
    finally:
        os.chdir(before)
    space["closed"].close()
    return folder


def test_the_python_runs(folder):
    assert (folder / "mazarbul-store" / "catalog.duckdb").exists()
    assert not (folder / "out.csv").exists()


# --- SQLAlchemy: which state a connection shows --------------------------------------------------

COUNT = sa.text("select count(*) from relations_now")


def engine_of(store, **options):
    url = sa.URL.create("duckdb", database=str(store.path / "catalog.duckdb"))
    return sa.create_engine(url, connect_args={"read_only": True}, **options)


@pytest.fixture
def store(tmp_path):
    store = small_store(tmp_path / "store")
    store.catalog()
    return store


def counted(engine):
    with engine.connect() as connection:
        return connection.scalar(COUNT)


def test_an_engine_that_keeps_no_connection_sees_each_commit(store):
    engine = engine_of(store, poolclass=sa.NullPool)
    for number in range(1, 4):
        assert counted(engine) == number
        store.relate("Ada", "knows", f"C{number}", valid_from="2020-01-01")


def test_an_open_connection_keeps_the_state_for_all_of_the_process(store):
    engine = engine_of(store, poolclass=sa.NullPool)
    with engine.connect() as older:
        assert older.scalar(COUNT) == 1
        store.relate("Ada", "knows", "Cyd", valid_from="2020-01-01")
        assert older.scalar(COUNT) == 1
        assert counted(engine) == 1  # one instance of a file in a process
    assert counted(engine) == 2


def test_a_pool_keeps_the_state_until_it_is_disposed_of(store):
    engine = engine_of(store)
    assert counted(engine) == 1
    store.relate("Ada", "knows", "Cyd", valid_from="2020-01-01")
    assert counted(engine) == 1
    engine.dispose()
    assert counted(engine) == 2
    engine.dispose()


def test_the_door_is_not_written_through_an_engine(store):
    engine = engine_of(store, poolclass=sa.NullPool)
    before = (store.path / "catalog.duckdb").read_bytes()
    with (
        engine.connect() as connection,
        pytest.raises(sa.exc.ProgrammingError, match="read-only mode"),
    ):
        connection.execute(sa.text("create table t (a int)"))
    assert (store.path / "catalog.duckdb").read_bytes() == before


@pytest.mark.parametrize(
    ("at", "count"),
    [("2019-12-31", 0), ("2020-01-01", 1), ("2020-01-01T05:29:59+05:30", 0), (None, 1)],
)
def test_bound_instants(store, at, count):
    query = sa.text("select count(*) from relations_at(:at, :as_of)")
    with engine_of(store, poolclass=sa.NullPool).connect() as connection:
        assert connection.scalar(query, {"at": at, "as_of": None}) == count
        assert connection.scalar(query, {"at": at, "as_of": "2019-01-01"}) == 0


def test_read_only_is_no_sandbox(store, tmp_path):
    """What the page warns of; were it to fail, the warning could go."""
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as door:
        door.execute(f"copy (select 1) to '{tmp_path / 'out.csv'}'")
    assert (tmp_path / "out.csv").exists()


# --- JupySQL -------------------------------------------------------------------------------------


def notebook(*more):
    cells = [code.strip() for _, code in blocks(PAGE.read_text(encoding="utf-8"), "ipython")]
    found = nbformat.v4.new_notebook()
    found.cells = [nbformat.v4.new_code_cell(source) for source in (*cells, *more)]
    return found


def executed(found, folder):
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(found, timeout=120, resources=resources).execute()
    return [output for cell in found.cells for output in cell.outputs]


jupyter = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # Jupyter's own
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def quiet(monkeypatch, tmp_path):
    for name, value in (*QUIET.items(), ("HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("quiet")
class TestJupySQL:
    """Cells of the page in a kernel, beside the page's store."""

    pytestmark = jupyter

    def test_the_cells_run_and_reconnecting_shows_what_is_new(self, folder):
        count = "%sql now << select count(*) as n from relations_now where predicate = 'likes'"
        commit = """
            import mazarbul_analytics as mz
            mz.Store("mazarbul-store").relate("Ada", "likes", "Bob")
        """
        code = "\n".join(line.strip() for line in commit.strip().splitlines())
        seen = "assert now.dict()['n'][0] == {}"
        again = list(blocks(PAGE.read_text(encoding="utf-8"), "ipython"))[-1][1]
        outputs = executed(
            notebook(
                count, seen.format(0), code, count, seen.format(0), again, count, seen.format(1)
            ),
            folder,
        )
        assert not [o for o in outputs if o.get("name") == "stderr"], outputs
        assert any("Debian LTS" in str(o.get("data")) for o in outputs)

    @pytest.mark.parametrize(("short", "kinds"), [(False, ["error"]), (True, [])])
    def test_a_failing_query_is_an_error_of_its_cell(self, folder, short, kinds):
        found = notebook("%sql select * from nothing_like_it")
        head = found.cells[0]
        assert "short_errors = False" in head.source
        head.source = head.source.replace("short_errors = False", f"short_errors = {short}")
        with pytest.raises(CellExecutionError, match="nothing_like_it"):
            executed(found, folder)
        outputs = found.cells[-1].outputs
        assert [o.output_type for o in outputs if o.output_type == "error"] == kinds
        assert "nothing_like_it" in str(outputs)


# --- marimo --------------------------------------------------------------------------------------

APP = """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    from supported import app
    _, values = app.run()
    print(json.dumps(values["supported"].rows(), default=str))
    print(values["lengths"]["predicate"].to_list())
"""


def test_the_marimo_app_runs_as_a_script(tmp_path):
    environment = {**os.environ, **QUIET, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    code, out, err = python(APP, ROOT / "notebooks", cwd=tmp_path, env=environment)
    assert (code, err) == (0, "")
    supported, predicates = out.splitlines()
    assert ["Debian 12", "Debian LTS", "2028-06-30"] in json.loads(supported)
    assert "'supported_by'" in predicates
