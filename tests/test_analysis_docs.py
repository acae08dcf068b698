"""The Python of docs/analysis.md runs, and names every call of analysis."""

import warnings
from pathlib import Path

import pytest
from docblocks import run

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "analysis.md"


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    space = {}
    with warnings.catch_warnings():
        # Ibis 12 calls what DuckDB 2 is to drop
        warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)
        run(PAGE, space)
    space["door"].disconnect()


@pytest.mark.parametrize(
    "name",
    [
        "store.point_in_time",
        "store.activity",
        "store.changes",
        "store.neighbors",
        "point_in_time_exclusive(",
        "relation_activity(",
        "relation_changes(",
        "neighbors_of(",
        "relation_durations",
        "relation_stints",
        "relation_holders",
        "relation_contradictions(",
    ],
)
def test_it_names(name):
    assert name in PAGE.read_text(encoding="utf-8")
