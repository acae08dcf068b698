"""An output never replaces what the call reads, a file of the store, or what is no extract."""

import os
import signal
import subprocess
import sys
import time

import duckdb
import pytest
from click.testing import CliRunner

from mazarbul_analytics import StoreError
from mazarbul_analytics.cli import cli
from mazarbul_analytics.cli.messages import ExitCode, fail
from mazarbul_analytics.tables import snapshots

EDGES = "from,relation,to\nAda,knows,Bob\nAda,knows,Ada\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(EDGES)

    def run(line, code):
        result = CliRunner().invoke(cli, line.split())
        assert result.exit_code == code, result.output
        return result

    run("init", 0)
    return run


@pytest.mark.parametrize(
    "line",
    [
        "import relations edges.csv --rejects edges.csv",
        "import relations edges.csv --rejects ./../{name}/edges.csv",
        "import relations edges.csv --rejects mazarbul-store/rejects.csv",
        "import relays edges.csv --rejects edges.csv",
        "import relays edges.csv --rejects mazarbul-store/rejects.csv",
        "catalog --extract edges.csv",
        "catalog --extract mazarbul-store/catalog.duckdb",
        "catalog --extract .",
        "catalog --extract nowhere/extract.duckdb",
        "point-in-time edges.csv --entity from --at to -o edges.csv",
        "entities -o nowhere/entities.csv",
        "entities -o .",
        "gaps -o nowhere/gaps.html",
        "import relations edges.csv --map foo=from",
    ],
)
def test_refused(run, tmp_path, line):
    door = (tmp_path / "mazarbul-store" / "catalog.duckdb").read_bytes()
    run(line.format(name=tmp_path.name), 2)
    assert (tmp_path / "edges.csv").read_text() == EDGES
    assert (tmp_path / "mazarbul-store" / "catalog.duckdb").read_bytes() == door


def test_an_extract_replaces_an_extract(run, tmp_path):
    run("catalog --extract copy.duckdb", 0)
    (tmp_path / "link.duckdb").symlink_to(tmp_path / "copy.duckdb")
    before = (tmp_path / "copy.duckdb").stat().st_ino
    run("catalog --extract link.duckdb", 0)
    assert (tmp_path / "link.duckdb").is_symlink()
    assert (tmp_path / "copy.duckdb").stat().st_ino != before


def test_an_extract_replaces_nothing_else(run, tmp_path):
    with duckdb.connect(str(tmp_path / "own.duckdb")) as own:
        own.execute("create table sales as select 1 as x")
    run("--store other init", 0)
    door = (tmp_path / "other" / "catalog.duckdb").read_bytes()
    for target in ("own.duckdb", "other/catalog.duckdb"):
        assert "is no extract" in run(f"catalog --extract {target}", 2).stderr
    with duckdb.connect(str(tmp_path / "own.duckdb"), read_only=True) as own:
        assert own.execute("from sales").fetchall() == [(1,)]
    assert (tmp_path / "other" / "catalog.duckdb").read_bytes() == door


@pytest.mark.parametrize(
    "line",
    [
        "entities -o mazarbul-store/entities/_delta_log/00000000000000000000.json",
        "relations Ada --format csv -o mazarbul-store/catalog.duckdb",
        "gaps -o mazarbul-store/relations/g.html",
        "gaps --state mazarbul-store/s.state",
        "relays list -o mazarbul-store/relays/l.txt",
        "check -o mazarbul-store/check.csv",
    ],
)
def test_no_output_lies_in_the_store(run, tmp_path, line):
    run("import relations edges.csv", 5)
    before = sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "mazarbul-store").rglob("*"))
    assert "inside the store" in run(line, 2).stderr
    after = sorted((p, p.stat().st_mtime_ns) for p in (tmp_path / "mazarbul-store").rglob("*"))
    assert after == before


@pytest.mark.parametrize(
    "line",
    ["catalog --extract pipe.csv", "import relations edges.csv --rejects pipe.csv"],
)
def test_a_pipe_or_a_device_is_not_replaced(run, tmp_path, line):
    os.mkfifo(tmp_path / "pipe.csv")
    run(line, 2)
    assert (tmp_path / "pipe.csv").is_fifo()
    assert "Ada" not in run("entities", 0).output


def test_the_same_bytes_read_otherwise_are_another_import(run, tmp_path):
    (tmp_path / "latin.csv").write_bytes("from,relation,to\nZo\u00eb,knows,Bob\n".encode("latin-1"))
    run("import relations latin.csv", 5)
    run("import relations latin.csv --encoding latin-1", 0)
    assert "Zo\u00eb" in run("entities", 0).output


def test_a_torn_entry_with_later_ones_is_not_to_be_removed(run, tmp_path):
    for name in ("Bob", "Cy", "Di"):
        run(f"relate Ada knows {name}", 0)
    log = tmp_path / "mazarbul-store" / "relations" / "_delta_log"
    whole = (log / f"{2:020d}.json").read_bytes()
    (log / f"{2:020d}.json").write_bytes(b"")
    with pytest.raises(StoreError, match="Later entries build on it"):
        snapshots.snapshot(tmp_path / "mazarbul-store")
    (log / f"{2:020d}.json").write_bytes(whole)
    (log / f"{3:020d}.json").write_bytes(b"")
    with pytest.raises(StoreError, match="move that file away"):
        snapshots.snapshot(tmp_path / "mazarbul-store")


def test_a_missing_log_entry_is_named_with_its_neighbours(run, tmp_path):
    for name in ("Bob", "Cy"):
        run(f"relate Ada knows {name}", 0)
    log = tmp_path / "mazarbul-store" / "relations" / "_delta_log"
    (log / f"{1:020d}.json").unlink()
    with pytest.raises(StoreError) as caught:
        snapshots.snapshot(tmp_path / "mazarbul-store")
    assert str(caught.value) == (
        f"{log}: log entries are missing between {0:020d}.json and {2:020d}.json\n"
        "Restore the store's folder from a copy."
    )


def test_every_missing_column_is_named_at_once(run, tmp_path):
    (tmp_path / "odd.csv").write_text("who,whom\nAda,Bob\n")
    told = run("import relations odd.csv", 5).stderr
    assert all(f"'{column}'" in told for column in ("subject", "predicate", "object", "who"))


def test_a_list_for_a_name_is_an_error_of_the_file(run, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"subject": [[1]], "predicate": ["knows"], "object": ["Bob"]})
    pq.write_table(table, tmp_path / "list.parquet")
    assert "list.parquet" in run("import relations list.parquet", 5).output


def test_what_the_engine_makes_of_ctrl_c(capsys):
    assert fail(RuntimeError("Query interrupted")) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_ctrl_c_in_an_import(run, tmp_path):
    with (tmp_path / "big.csv").open("w") as file:
        file.write("from,relation,to\n")
        file.writelines(f"a{n},knows,b{n}\n" for n in range(400_000))
    command = [sys.executable, "-m", "mazarbul_analytics.cli", "import", "relations", "big.csv"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate(timeout=60)
    assert process.returncode in {0, 130}
    assert "defect" not in shown
    run("check", 0)


@pytest.mark.usefixtures("run")
def test_closed_stdout(tmp_path):
    command = f"{sys.executable} -m mazarbul_analytics.cli entities >&-"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ},
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: standard output is closed")
