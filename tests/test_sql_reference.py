"""docs/sql.md is what the door says of itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mazarbul_analytics.engine import sqlfiles

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "sql.md"


def load_tool():
    spec = importlib.util.spec_from_file_location("tool", ROOT / "tools" / "write_sql_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_fresh():
    text = PAGE.read_text(encoding="utf-8")
    assert text == load_tool().reference(), "run: python tools/write_sql_reference.py"


@pytest.mark.parametrize("name", sorted({name for name, _ in sqlfiles.objects()}))
def test_every_object_is_told_of(name):
    text = PAGE.read_text(encoding="utf-8")
    assert f"`{name}`" in text or f"`{name}(" in text


@pytest.mark.parametrize(
    "line",
    [
        "### `point_in_time_exclusive(probes, predicates := null, scopes := null)`",
        "### `calendar`",
        "### `calendar(start, stop, step)`",
        "| `utc_midnight(day)` | The instant at which a day begins in UTC. |",
        "Columns: `at`, `predicate`, `live`",
    ],
)
def test_signatures_and_columns(line):
    assert f"\n{line}\n" in PAGE.read_text(encoding="utf-8")
