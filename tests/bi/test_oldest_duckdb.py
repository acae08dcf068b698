"""The oldest DuckDB that opens the door gives the rows that the newest does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import mazarbul_analytics as mz

pytestmark = pytest.mark.bi

ROOT = Path(__file__).resolve().parents[2]
VENV = Path(os.environ.get("BI_VENV", ROOT / ".venv-bi")).resolve()
OLDEST = "1.2.2"

ASK = """
import json, sys
import duckdb
def rows(query):
    answer = door.execute(query)
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row)) for row in answer.fetchall()]
with duckdb.connect(sys.argv[1], read_only=True) as door:
    door.execute("set TimeZone = 'UTC'")
    views = door.execute("select view_name from duckdb_views() where not internal").fetchall()
    asked = [f"from {name} order by all" for (name,) in views] + json.loads(sys.argv[2])
    answers = {query: rows(query) for query in asked}
    print(json.dumps({"version": duckdb.__version__, "answers": answers}, default=str))
"""
UP_TO_NOW = {"valid_seconds", "age_seconds"}
MACROS = [
    "from relations_at('2026-06-20', '2025-09-01') order by all",
    "from relation_changes('2025-01-01', '2026-01-01') order by all",
    "from relation_activity('2020-01-01', '2026-01-01', interval 1 month) order by all",
    "from calendar('2024-02-28', '2024-03-01', interval 1 day) order by all",
    "from relay_list(null, '2026-01-01') order by all",
    "from relay_gaps_as_of('2026-01-01') order by all",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Make a store of the sample data, sealed and unsealed."""
    store = mz.Store(tmp_path_factory.mktemp("old") / "s", create=True, relay_id_form="pep-####")
    store.import_relations(ROOT / "data" / "lifetimes.csv", trust_recorded_at=True)
    store.relays.import_(ROOT / "data" / "relays.csv", trust_deposited_at=True)
    store.optimize()
    store.relate("Jeff", "works_at", "Acme Corp", attributes={"role": "dev"})
    return store


def asked(store, macros, **environment):
    """Ask every view and some macros, in a process of its own with its own DuckDB."""
    program = VENV / "bin" / "python" if environment else sys.executable
    done = subprocess.run(
        [program, "-c", ASK, store.path / "catalog.duckdb", json.dumps(macros)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # DuckDB 1.2 shows a progress bar


def still(rows):
    """Leave out what is counted up to the moment of asking."""
    return [{k: v for k, v in row.items() if k not in UP_TO_NOW} for row in rows]


def test_every_view_and_macro(store):
    uid = store.entity("Debian 12").uid
    macros = [
        *MACROS,
        f"from relations_of('{uid}', null, null) order by all",
        f"from neighbors_of('{uid}', '2024-01-01', null, 2) order by all",
    ]
    old = asked(store, macros, PYTHONPATH=str(VENV / "duckdb-oldest"))
    new = asked(store, macros)
    assert (old["version"], new["version"]) == (OLDEST, duckdb.__version__)
    assert old["answers"].keys() == new["answers"].keys()
    assert len(new["answers"]["from relation_history order by all"]) > 1000
    for query, rows in new["answers"].items():
        assert still(old["answers"][query]) == still(rows), query
