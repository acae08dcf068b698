"""Speed of the relay archive, as ratios and seconds on this machine.

Hypothesis: importing 1 million relays with 3 million references takes at most 8 times what DuckDB
takes to copy the same CSV to Parquet, in at most 3 GB; listing them as JSON and the full gap report
take at most 2 s each, starting a process included. Medians of three.

    pytest tests/benchmarks/test_relays.py -m benchmark -s
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time

import duckdb
import pytest

pytestmark = pytest.mark.benchmark

RELAYS = 1_000_000
TIMES = 3
# every 33rd is left out, so that about 30,000 are known missing
_MAKE = """
copy (
    select
        'relay-' || lpad(i::varchar, 7, '0') as id,
        case when i > 1 then 'relay-' || lpad((i - 1)::varchar, 7, '0') end as parent,
        case when i > 100 then 'relay-' || lpad((hash(i) % (i - 1) + 1)::varchar, 7, '0')
            || ' relay-' || lpad((hash(i * 7) % (i - 1) + 1)::varchar, 7, '0') end as refs,
        'agent-' || (i % 20) as "from", 'agent-' || (i % 7) as "to",
        ['report', 'ack', 'correction'][1 + i % 3] as kind,
        'Body of record ' || i || '. Lorem ipsum dolor sit amet' as body,
        strftime(timestamp '2020-01-01' + to_seconds(i * 60), '%Y-%m-%dT%H:%M:%SZ') as deposited_at
    from range(1, $last) as t(i) where i % 33 <> 5
) to '{path}'
"""


def timed(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def command(*args):
    done = subprocess.run(
        [sys.executable, "-m", "mazarbul_analytics.cli", *map(str, args)],
        check=True,
        capture_output=True,
        env={**os.environ, "MAZARBUL_STORE": ""},
    )
    assert done.returncode == 0


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    source = folder / "relays.csv"
    with duckdb.connect() as engine:
        last = RELAYS * 33 // 32
        engine.execute(_MAKE.format(path=source).replace("$last", str(last)))
        copies = [
            timed(lambda: engine.execute(f"copy (from '{source}') to '{folder / 'copy.parquet'}'"))
            for _ in range(TIMES)
        ]
    imports = []
    for number in range(TIMES):
        store = folder / f"store-{number}"
        command("--store", store, "init", "--relay-id-form", "relay-#######")
        imports.append(
            timed(
                lambda store=store: command(
                    "--store", store, "import", "relays", source, "--trust-deposited-at"
                )
            )
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    return store, statistics.median(copies), statistics.median(imports), peak


def test_import(archive):
    _, copy, whole, peak = archive
    print(f"\nimport {whole:.2f} s, copy {copy:.2f} s, ratio {whole / copy:.1f}, {peak:.2f} GB")
    assert whole <= 8 * copy
    assert peak <= 3


@pytest.mark.parametrize(
    "line",
    ["relays list --format json", "gaps --format json", "gaps --format text", "gaps --format html"],
)
def test_reading(archive, line):
    store = archive[0]
    spent = statistics.median(
        timed(lambda: command("--store", store, *line.split())) for _ in range(TIMES)
    )
    print(f"\n{line}: {spent:.2f} s")
