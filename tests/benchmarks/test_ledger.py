"""How an import, a listing and a count compare with what DuckDB does without a ledger.

Hypotheses: an import takes at most 10 times a bare copy of its CSV to one Parquet file; a count of
all that is live by predicate at most 1.6 times a bare filter over one flat file (2.2 times with
an unsealed hundredth on top). Run: `MAZARBUL_BENCH_ROWS=1e7 make bench`. Ratios are taken within
one run; nothing is asserted of seconds.
"""

import resource
import statistics
import time

import duckdb
import pytest

import mazarbul_analytics as mz

from .generated import ROWS, write_csv

pytestmark = pytest.mark.benchmark


def timed(call, times=1):
    """Return the median seconds of some calls."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    write_csv(folder / "relations.csv")
    return folder


@pytest.fixture(scope="module")
def store(folder):
    store = mz.Store(folder / "store", create=True)
    source, flat = folder / "relations.csv", folder / "flat.parquet"
    with duckdb.connect() as plain:
        plain.execute("set threads = 2")
        copy = f"copy (select * from read_csv('{source}', all_varchar = true)) to '{flat}'"
        plain.execute(copy)
        before = timed(lambda: plain.execute(copy))
        taken = timed(lambda: store.import_relations(source))
        after = timed(lambda: plain.execute(copy))
    bare = (before + after) / 2
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"\nimport of {ROWS:,} rows: {taken:.1f} s, {taken / bare:.1f} times a bare copy; "
        f"peak {memory:.1f} GB"
    )
    assert taken / bare < 10
    print(f"optimize: {timed(store.optimize):.1f} s")
    return store


def test_listing(store):
    names = [r[0] for r in store.sql("select name from entities using sample 60 rows").fetchall()]
    for name in names[:10]:
        store.relations(name)
    found = [timed(lambda n=name: store.relations(n, at="2015-01-01")) for name in names[10:]]
    print(f"\nrelations(x) in a warm process: median {statistics.median(found) * 1000:.0f} ms")


def count(store, flat):
    question = (
        "select predicate, count(*) from versions_at(timestamptz '2015-01-01 00:00:00Z', "
        "timestamptz '2030-01-01 00:00:00Z') group by all"
    )
    bare = (
        f"select predicate, count(*) from read_parquet('{flat}') "
        "where recorded_at <= timestamptz '2030-01-01 00:00:00Z' "
        "and (superseded_at is null or superseded_at > timestamptz '2030-01-01 00:00:00Z') "
        "and (valid_from is null or valid_from <= timestamptz '2015-01-01 00:00:00Z') "
        "and (valid_to is null or timestamptz '2015-01-01 00:00:00Z' < valid_to) group by all"
    )
    assert sorted(store.sql(question).fetchall()) == sorted(store.sql(bare).fetchall())
    pairs = [
        (timed(lambda: store.sql(question).fetchall()), timed(lambda: store.sql(bare).fetchall()))
        for _ in range(9)
    ]
    return statistics.median(a / b for a, b in pairs)


def test_count_of_all_that_is_live(store, folder):
    flat = folder / "versions.parquet"
    copy = f"copy (select * from relation_versions) to '{flat}'"
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as door:
        door.execute(copy)
    print(f"\ncount by predicate, sealed: {count(store, flat):.2f} times a bare filter")
    extra = folder / "extra.csv"
    write_csv(extra, ROWS // 100)
    store.import_relations(extra)
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as door:
        door.execute(copy)
    print(f"with an unsealed hundredth on top: {count(store, flat):.2f} times")
