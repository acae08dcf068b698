"""How long the command takes to say its help, against a process that imports Click alone.

Hypothesis: at most three times as long (0.3 s on a quiet machine): neither the engine nor Polars is
loaded for it, which tests/cli/test_startup.py holds. Run: `make bench`.
"""

import statistics
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.benchmark

TIMES = 9
HELP = "import sys; sys.argv[1:] = ['--help']; from mazarbul_analytics.cli import main; main()"


def seconds(code):
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return time.perf_counter() - begin


def test_help():
    pairs = [(seconds(HELP), seconds("import click")) for _ in range(TIMES)]
    ours, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"\n--help {ours:.2f} s, {ours / bare:.2f} times a bare import of Click")
    assert ours <= 3 * bare
