"""neighbors, changes, activity and point-in-time on the command line."""

from __future__ import annotations

import json
import shlex

import polars as pl
import pytest
from click.testing import CliRunner

from mazarbul_analytics import Store
from mazarbul_analytics.cli import cli
from mazarbul_analytics.schema import RESULTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a store that knows a little, once; no test here writes to it."""
    made = tmp_path_factory.mktemp("analysis")
    store = Store(made / "mazarbul-store", create=True)
    (made / "rows.csv").write_text(
        "from,relation,to,valid_from,valid_to,recorded_at,scope\n"
        "Ann,works_at,Mill,2019-01-01,,2019-02-01,\n"
        "Ann,works_at,Mill,2019-01-01,,2019-02-01,team\n"
        "Bo,works_at,Mill,2020-01-01,2021-01-01,2020-02-01,\n"
        "Bo,knows,Cleo,2020-01-01,,2020-02-01,\n"
    )
    store.import_relations(str(made / "rows.csv"), trust_recorded_at=True)
    (made / "probes.csv").write_text("who,when,n\nAnn,2020-06-01,1\nNobody,2020-06-01,2\n")
    return made


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MAZARBUL_STORE", raising=False)

    def call(line, code=0):
        result = CliRunner().invoke(cli, shlex.split(line))
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.stderr
        return result

    return call


def rows(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_neighbors(run):
    found = rows(run("neighbors ann --depth 3 --at 2020-06-01"))
    assert list(found[0]) == RESULTS["neighbors"].names
    assert [(r["entity"], r["distance"]) for r in found] == [("Mill", 1), ("Bo", 2), ("Cleo", 3)]
    assert found[-1]["path"] == ["Ann", "Mill", "Bo", "Cleo"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ["Mill"]),
        ("--at 2020-06-01", ["Mill", "Bo"]),
        ("--at 2020-06-01 --as-of 2020-01-31", ["Mill"]),
        ("--at 2020-06-01 --depth 3 --predicate works-at", ["Mill", "Bo"]),
        ("--at 2020-06-01 --depth 3 --direction outgoing", ["Mill"]),
        ("--at 2020-06-01 --scope personal", []),
    ],
)
def test_neighbors_as_asked(run, options, expected):
    assert [r["entity"] for r in rows(run(f"neighbors Ann {options}"))] == expected


def test_neighbors_in_every_format(run, folder):
    run("neighbors Ann --at 2020-06-01 -o out.parquet")
    assert pl.read_parquet(folder / "out.parquet")["path"].to_list()[0] == ["Ann", "Mill"]
    assert '"[""Ann"", ""Mill""]"' in run("neighbors Ann --format csv").stdout.replace(
        '","', '", "'
    ).replace('"",""', '"", ""')
    assert "Mill" in run("neighbors Ann --format table").stdout
    assert json.loads(run("neighbors Ann --format json").stdout)[0]["distance"] == 1


def test_changes(run):
    found = rows(run("changes --since 2019-02-01 --until 2020-02-01"))
    assert list(found[0]) == RESULTS["changes"].names
    assert sorted((r["change"], r["subject"], r["object"]) for r in found) == [
        ("created", "Bo", "Cleo"),
        ("created", "Bo", "Mill"),
    ]
    assert len(rows(run("changes"))) == 3
    assert len(rows(run("changes --scope team"))) == 1
    assert len(rows(run("changes --predicate knows --until 2019-12-31"))) == 0


def test_activity(run):
    found = run(
        "activity --start 2019-01-01 --stop 2021-01-01 --step '1 year' --predicate works_at "
        "--format csv"
    )
    assert found.stdout.splitlines() == [
        "at,predicate,live",
        "2019-01-01T00:00:00Z,works_at,1",
        "2020-01-01T00:00:00Z,works_at,2",
        "2021-01-01T00:00:00Z,works_at,1",
    ]


def test_point_in_time(run, folder):
    found = rows(run("point-in-time probes.csv --entity who --at when --predicate works_at"))
    assert list(found[0]) == ["who", "when", "n", *RESULTS["point_in_time"].names]
    assert [(r["n"], r["probe_status"], r["object"]) for r in found] == [
        ("1", "matched", "Mill"),
        ("2", "unknown_name", None),
    ]
    run("point-in-time probes.csv --entity who --at when --as-of when --exclusive -o out.parquet")
    frame = pl.read_parquet(folder / "out.parquet")
    assert frame["object"].to_list() == ["Mill", None]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("neighbors Nobody", 3, "Nobody"),
        ("neighbors Ann --depth 0", 2, "depth"),
        ("neighbors Ann --direction up", 2, "direction"),
        ("changes --since 2021-01-01 --until 2020-01-01", 2, "before since"),
        ("changes --since soon", 2, "soon"),
        ("activity --start 2020-01-01 --stop 2021-01-01 --step 0s", 2, "0s"),
        ("activity --start 2020-01-01 --stop 2021-01-01 --step often", 2, "often"),
        ("activity --start 2020-01-01", 2, "--stop"),
        ("point-in-time none.csv --entity who --at when", 2, "none.csv"),
        ("point-in-time probes.csv --entity name --at when", 2, "who, when, n"),
        ("point-in-time probes.csv --entity who --at when --timezone Mars/Base", 2, "Mars/Base"),
    ],
)
def test_what_is_refused(run, line, code, words):
    result = run(line, code)
    assert result.stdout == ""
    assert words in result.stderr
