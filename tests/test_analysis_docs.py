"""The Python of docs/analysis.md runs, and names every call of analysis."""

import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "analysis.md"


def blocks(text):
    for found in re.finditer(r"```python\n(.*?)```", text, re.DOTALL):
        yield text.count("\n", 0, found.start(1)), found[1]


def test_every_block_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    space = {}
    for line, block in blocks(PAGE.read_text(encoding="utf-8")):
        with warnings.catch_warnings():
            # Ibis 12 calls what DuckDB 2 is to drop
            warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)
            exec(compile("\n" * line + block, str(PAGE), "exec"), space)  # noqa: S102 - our own text
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
