"""Every engine of ours is silent, in UTC, and takes no extension from outside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mazarbul_analytics
from mazarbul_analytics.engine import bare
from mazarbul_analytics.engine.connection import connect

PACKAGE = Path(mazarbul_analytics.__file__).parent
SETTINGS = {
    "TimeZone": "UTC",
    "enable_progress_bar": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_hold_on_every_handle(name):
    for raw in (bare.start(), connect().raw):
        for handle in (raw, raw.cursor()):
            found = handle.execute(f"select current_setting('{name}')").fetchone()
            assert found == (SETTINGS[name],)


def test_nobody_else_starts_one():
    # doors and extracts alone are opened by their path, to read what they are
    starts = {
        file.name: set(re.findall(r"duckdb\.connect\((.*?)\)*(?: as \w+:)?$", text, re.MULTILINE))
        for file in PACKAGE.rglob("*.py")
        if "duckdb.connect(" in (text := file.read_text())
    }
    assert starts == {"bare.py": {""}, "catalog.py": {"str(path), read_only=True"}}
