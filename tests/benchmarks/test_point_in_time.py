"""How the joins and walks compare with what DuckDB and Polars do by hand over flat data.

Hypotheses, of ROWS / 10 probes: the general macro takes at most 1.5 times a hand-written hash join
with range conditions over the same file, the exclusive one at most 1.3 times a hand-written ASOF
join over it; so does `store.point_in_time` to such joins that also look names up, name the other
end and put the rows in order; both macros about as long as Polars' joins at 10 million
(docs/performance.md); activity at most as long as an interval join; a walk of three steps from an
average entity at most a second.
Run: `MAZARBUL_BENCH_ROWS=1e7 make bench`. Ratios are of processor time within one process, medians,
so that other work on the machine does not count; of seconds only the walk is asserted.
"""

import statistics
import time

import polars as pl
import pytest

import mazarbul_analytics as mz

from .generated import ROWS, write_csv

pytestmark = pytest.mark.benchmark

TIMES = 3
AGAINST_POLARS = 1.25 if ROWS >= 1e7 else 10  # of a small set most is what any call costs
HAND_HASH = """
    select p.*, r.* from probes as p
    left join flat as r
        on r.subject_uid = p.entity_uid
        and (r.valid_from is null or r.valid_from <= p."at")
        and (r.valid_to is null or p."at" < r.valid_to)
"""
HAND_ASOF = """
    select p.*, r.* from probes as p
    asof left join (select * from flat where predicate = 'works_at') as r
        on r.subject_uid = p.entity_uid and p."at" >= r.valid_from
"""
# what the verb does besides: names looked up, the other end named, rows in order
NAMED = """
    select p.*, r.*, e.name as subject, o.name as object, o.type as object_type
    from named_probes as p
    join entities as e on e.name_key = lower(p.name)
    {join} left join {flat} as r on r.subject_uid = e.entity_uid and {conditions}
    left join entities as o on o.entity_uid = r.object_uid
    order by p.n, r.valid_from desc nulls last, r.version desc
"""
NAMED_HASH = NAMED.format(
    join="",
    flat="flat",
    conditions="""(r.valid_from is null or r.valid_from <= p."at")
        and (r.valid_to is null or p."at" < r.valid_to)""",
)
NAMED_ASOF = NAMED.format(
    join="asof",
    flat="(select * from flat where predicate = 'works_at')",
    conditions='p."at" >= r.valid_from',
)
GENERAL = "select * from point_in_time('probes')"
EXCLUSIVE = "select * from point_in_time_exclusive('probes', predicates := ['works_at'])"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("point-in-time")
    write_csv(folder / "rows.csv")
    made = mz.Store(folder / "store", create=True)
    made.import_relations(str(folder / "rows.csv"))
    return made


@pytest.fixture(scope="module")
def parquet(store):
    (file,) = store._read()[1].tables["relations"].files
    return str(store.path / "relations" / file.path)


@pytest.fixture(scope="module")
def connection(store, parquet):
    """Give a connection with `probes`, and `flat`: the data as it is kept without a ledger."""
    connection, _ = store._read()
    connection.execute(f"create temp view flat as select * from read_parquet('{parquet}')")
    connection.execute(f"""
        create temp table probes as
        select
            subject_uid as entity_uid,
            timestamptz '2003-01-01' + to_seconds(cast(hash(version) % 600000000 as bigint))
                as "at",
            cast(null as timestamptz) as as_of
        from flat where hash(version + 1) % 10 = 0 limit {ROWS // 10}
    """)
    return connection


def ratio(ours, theirs):
    """Return the ratio of the medians of processor time, turn by turn."""
    spent = {ours: [], theirs: []}
    for _ in range(TIMES):
        for call in (ours, theirs):
            began = time.process_time()
            call()
            spent[call].append(time.process_time() - began)
    medians = [statistics.median(spent[call]) for call in (ours, theirs)]
    print(f"\n{medians[0]:.2f} s of {medians[1]:.2f} s: {medians[0] / medians[1]:.2f}")
    return medians[0] / medians[1]


@pytest.mark.parametrize(
    ("ours", "theirs", "most"), [(GENERAL, HAND_HASH, 1.5), (EXCLUSIVE, HAND_ASOF, 1.3)]
)
def test_against_duckdb_by_hand(connection, ours, theirs, most):
    found = ratio(lambda: connection.arrow(ours), lambda: connection.arrow(theirs))
    assert found <= most


@pytest.mark.parametrize(
    ("asked", "theirs", "most"),
    [
        ({}, NAMED_HASH, 1.5),
        ({"predicates": ["works_at"], "exclusive": True}, NAMED_ASOF, 1.3),
    ],
)
def test_the_verb_against_the_same_by_hand(store, connection, asked, theirs, most):
    probes = pl.DataFrame(
        connection.arrow(
            'select e.name, p."at" from probes as p '
            "join entities as e on e.entity_uid = p.entity_uid"
        )
    )
    connection.raw.register("named_probes", probes.with_row_index("n").to_arrow())
    found = ratio(
        lambda: store.point_in_time(probes, entity="name", at="at", **asked),
        lambda: pl.DataFrame(connection.arrow(theirs)),
    )
    assert found <= most


def test_general_against_polars(connection, parquet):
    probes = pl.DataFrame(connection.arrow("select * from probes")).with_row_index("n")

    def by_polars():
        matched = (
            probes.lazy()
            .join(pl.scan_parquet(parquet), left_on="entity_uid", right_on="subject_uid")
            .filter(
                (pl.col("valid_from").is_null() | (pl.col("valid_from") <= pl.col("at")))
                & (pl.col("valid_to").is_null() | (pl.col("at") < pl.col("valid_to")))
            )
        )
        return probes.lazy().join(matched, on="n", how="left").collect()

    assert ratio(lambda: connection.arrow(GENERAL), by_polars) <= AGAINST_POLARS


@pytest.mark.filterwarnings("ignore:Sortedness")
def test_exclusive_against_polars(connection, parquet):
    probes = pl.DataFrame(connection.arrow("select * from probes"))

    def by_polars():
        held = pl.scan_parquet(parquet).filter(pl.col("predicate") == "works_at")
        return (
            probes.sort("at")
            .lazy()
            .join_asof(
                held.sort("valid_from"),
                left_on="at",
                right_on="valid_from",
                by_left="entity_uid",
                by_right="subject_uid",
            )
            .collect()
        )

    assert ratio(lambda: connection.arrow(EXCLUSIVE), by_polars) <= AGAINST_POLARS


def test_activity_against_an_interval_join(store, connection):
    by_hand = """
        select g."at", v.predicate, count(*) as live
        from (
            select unnest(generate_series(
                timestamptz '2000-01-01', timestamptz '2025-01-01', interval 1 year
            )) as "at"
        ) as g
        join flat as v
            on (v.valid_from is null or v.valid_from <= g."at")
            and (v.valid_to is null or g."at" < v.valid_to)
        group by all
    """
    found = ratio(
        lambda: store.activity("2000-01-01", "2025-01-01", "1 year"),
        lambda: connection.arrow(by_hand),
    )
    assert found <= 1


def test_a_walk_of_three_steps(store, connection):
    store.optimize()
    uids = connection.rows(
        "select subject_uid from flat where hash(version + 2) % 100000 = 0 limit 9"
    )
    spent = []
    for (uid,) in uids:
        began = time.perf_counter()
        store.neighbors(uid, depth=3)
        spent.append(time.perf_counter() - began)
    print(f"\nneighbors(depth=3): median {statistics.median(spent):.2f} s, most {max(spent):.2f} s")
    assert statistics.median(spent) <= 1
