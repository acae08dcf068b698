"""Rewrites change no answer: merging of small commits, `optimize`, `vacuum`, and rivals."""

from __future__ import annotations

import os
import shutil
import time

import pyarrow.parquet as pq
import pytest
from engine import rows
from stores import empty_store, history_of, load, small_store, state_of

import mazarbul_analytics as mz
from mazarbul_analytics.engine import datafiles
from mazarbul_analytics.engine.connection import connect
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables import commits, layout, snapshots
from mazarbul_analytics.upkeep.optimize import rewrite_all
from mazarbul_analytics.writing import folding


@pytest.fixture
def store(tmp_path):
    return empty_store(tmp_path / "store")


@pytest.fixture(scope="module")
def told_much(tmp_path_factory):
    """Make a store whose relations were corrected, ended, carved, retracted and told again."""
    folder = tmp_path_factory.mktemp("told")
    store = empty_store(folder / "store")
    load(
        store,
        folder,
        """
        from,predicate,to,valid_from,valid_to,attributes,op
        Ada,works_at,Mill,2019-01-01,,"{""role"": ""dev""}",
        Ada,works_at,Mill,2022-01-01,,"{""role"": ""lead""}",
        Ada,works_at,Dock,2015-01-01,2017-01-01,,
        Ada,works_at,Dock,2015-06-01,2015-09-01,,unrelate
        Bob,knows,Ada,,,,
        """,
    )
    store.relate("Ada", "works_at", "Mine", valid_from="2021-01-01", exclusive=True)
    store.retract(store.relate("Bob", "likes", "Tea", valid_from="2020-01-01").relation_uid)
    store.relate("Bob", "likes", "Tea", valid_from="2023-01-01")
    return store.path


@pytest.fixture
def lively(told_much, tmp_path):
    """Give a copy of that store."""
    return mz.Store(shutil.copytree(told_much, tmp_path / "store"))


def files(store, name="relations"):
    return snapshots.snapshot(store.path).tables[name].files


def answers(store, as_ofs):
    """Give what a reader can ask: history, state and listings at each of some instants."""
    listed = [
        rows(store.relations(name, as_of=as_of, include_inactive=True, at="2024-01-01"))
        for name in ("Ada", "Tea")
        for as_of in (None, *as_ofs)
    ]
    counted = rows(
        store.sql(
            "select predicate, count(*) as n from relations_at('2021-06-01', null) "
            "group by all order by all"
        )
    )
    return state_of(store), listed, counted


def instants(store):
    return sorted({row[8] for row in history_of(store)})


# --- merging as one writes -----------------------------------------------------------------------


def test_the_writer_that_adds_the_last_small_file_merges_them(store, monkeypatch):
    monkeypatch.setattr(folding, "SMALL_FILES", 4)
    for number in range(3):
        store.relate("Ada", "works_at", f"Mill {number}", valid_from="2020-01-01", exclusive=True)
    before = history_of(store)
    as_of = instants(store)
    seen = [rows(store.relations("Ada", as_of=i)) for i in as_of]
    assert len(files(store)) == 3
    store.relate("Ada", "works_at", "Mill 3", valid_from="2021-01-01")
    (file,) = files(store)
    assert not file.sealed
    assert file.rows == 6  # four versions, and two removals of rivals
    assert history_of(store)[: len(before)] == before
    assert [rows(store.relations("Ada", as_of=i)) for i in as_of] == seen
    # the merged file counts as one of the next ones
    store.relate("Ada", "works_at", "Mill 4", valid_from="2021-01-01")
    assert len(files(store)) == 2


def test_thirty_two_small_files_are_many(store):
    root = store.path
    row = "select 'u{0}' as entity_uid, 'N{0}' as name, 'n{0}' as name_key, 'fact' as type, "
    row += "timestamptz '2024-01-01 00:00:00Z' as recorded_at, cast(null as varchar) as import_uid"
    connection = connect()
    for number in range(31):
        path = layout.new_file(root, "entities")
        written = datafiles.write(connection, row.format(number), path, table="entities")
        commits.commit(snapshots.snapshot(root).tables["entities"], root, [written])
    connection.close()
    assert len(files(store, "entities")) == 31
    store.relate("Ada", "knows", "Bob")
    assert [f.rows for f in files(store, "entities")] == [33]
    assert len(rows(store.entities())) == 33


def test_large_and_sealed_files_are_left_alone(store, monkeypatch):
    monkeypatch.setattr(folding, "SMALL_FILES", 2)
    monkeypatch.setattr(folding, "SMALL_ROWS", 1)
    store.relate("Ada", "knows", "Bob")
    store.optimize()
    sealed = files(store)
    store.relate("Ada", "knows", "Cyd")
    assert files(store)[1:] == sealed  # 'part-' sorts before 'sealed-'
    assert len(files(store, "entities")) == 2


def test_a_merge_that_reads_other_rows_changes_nothing(store):
    store.relate("Ada", "knows", "Bob")
    store.relate("Ada", "knows", "Cyd")
    snapshot = snapshots.snapshot(store.path)
    state = snapshot.tables["relations"]
    connection = connect(snapshot)
    query = f"select * from read_parquet('{store.path}/relations/{state.files[0].path}')"
    with pytest.raises(StoreError, match="other than 2 rows; nothing was changed"):
        folding.rewrite(connection, store.path, state, query, list(state.files), sealed=False)
    connection.close()
    assert snapshots.snapshot(store.path).versions == snapshot.versions
    assert len(list((store.path / "relations").glob("*.parquet"))) == 2


# --- optimize ------------------------------------------------------------------------------------


def test_optimize_seals_and_changes_no_answer(lively):
    as_ofs = instants(lively)
    before = answers(lively, as_ofs)
    done = lively.optimize()
    assert answers(lively, as_ofs) == before
    (file,) = files(lively)
    assert file.sealed
    assert file.rows == done["relations"]
    held = pq.read_table(lively.path / "relations" / file.path).to_pylist()
    ends = {row["version"]: row["superseded_at"] for row in held if row["removal"] is None}
    assert ends == {row[0]: row[9] for row in before[0][0]}
    assert sum(end is not None for end in ends.values()) >= 3
    keys = [(r["subject_uid"], r["predicate"], r["object_uid"], r["version"]) for r in held]
    assert keys == sorted(keys)
    assert lively.optimize() == {}  # nothing is left to do


def test_optimize_makes_the_copy_by_object(lively):
    lively.optimize()
    (file,) = files(lively)
    path = lively.path / "relations" / file.path
    held = [r for r in pq.read_table(path).to_pylist() if r["removal"] is None]
    copied = pq.read_table(layout.by_object(path)).to_pylist()
    assert [r["object_uid"] for r in copied] == sorted(r["object_uid"] for r in copied)
    assert sorted(copied, key=lambda r: r["version"]) == sorted(held, key=lambda r: r["version"])
    # it is used, and the store is right without it
    incoming = rows(lively.relations("Tea"))
    assert [r["subject"] for r in incoming] == ["Bob"]
    layout.by_object(path).unlink()
    lively.close()
    assert rows(lively.relations("Tea")) == incoming


def test_check_reads_the_copy_by_object_too(lively):
    lively.optimize()
    (file,) = files(lively)
    copy = layout.by_object(lively.path / "relations" / file.path)
    short = pq.read_table(copy).slice(1)
    pq.write_table(short, copy)
    told = {f["subject"]: f["finding"] for f in rows(lively.check()) if f["severity"] == "error"}
    assert list(told) == [str(copy)]
    finding = told[str(copy)]
    assert f"holds {short.num_rows} rows of {short.num_rows + 1}" in finding


def test_writes_after_sealing_supersede_sealed_rows(lively):
    lively.optimize()
    before = history_of(lively)
    as_ofs = instants(lively)
    listed = [rows(lively.relations("Ada", as_of=i, at="2024-01-01")) for i in as_ofs]
    done = lively.relate("Ada", "works_at", "Mine", attributes={"a": 1}, valid_from="2022-01-01")
    assert done.status == "corrected"
    assert lively.unrelate("Bob", "likes", "Tea", valid_from="2023-06-01").status == "removed"
    after = {row[0]: row for row in history_of(lively)}
    changed = [row for row in before if after[row[0]] != row]
    assert sorted((row[4], row[9]) for row in changed) == [("Mine", None), ("Tea", None)]
    assert all(after[row[0]][9] is not None for row in changed)
    assert [rows(lively.relations("Ada", as_of=i, at="2024-01-01")) for i in as_ofs] == listed
    assert [r["valid_to"].isoformat() for r in rows(lively.relations("Tea", at="2023-05-01"))] == [
        "2023-06-01T00:00:00+00:00"
    ]
    # sealing again gives the same
    told = answers(lively, as_ofs)
    lively.optimize()
    assert answers(lively, as_ofs) == told
    assert {r["severity"] for r in rows(lively.check())} == {"info"}  # the old files


# --- who may be in the way -----------------------------------------------------------------------


def test_two_rewrites_conflict(lively):
    first, second = (snapshots.snapshot(lively.path) for _ in range(2))
    before = state_of(lively)
    for snapshot, fails in ((first, False), (second, True)):
        connection = connect(snapshot)
        try:
            if fails:
                with pytest.raises(commits.Conflict):
                    rewrite_all(snapshot, connection)
            else:
                rewrite_all(snapshot, connection)
        finally:
            connection.close()
    assert state_of(lively) == before
    assert len(list((lively.path / "relations").glob("sealed-*.parquet"))) == 1
    assert len(list((lively.path / "relations" / "_by_object").iterdir())) == 1


def test_a_rewrite_of_a_stale_state_conflicts_with_an_append(lively):
    stale = snapshots.snapshot(lively.path)
    lively.relate("Ada", "knows", "Dee")
    before = state_of(lively)
    connection = connect(stale)
    with pytest.raises(commits.Conflict):
        rewrite_all(stale, connection)
    connection.close()
    assert state_of(lively) == before


def test_a_merge_lets_another_rewrite_win(lively, monkeypatch, tmp_path):
    monkeypatch.setattr(folding, "SMALL_FILES", 2)
    stale = snapshots.snapshot(lively.path)
    lively.optimize()
    assert folding.merge_small(stale, tmp_path / "scratch") is False
    assert [f.sealed for f in files(lively)] == [True]


def test_a_reader_of_an_old_snapshot_goes_on(lively):
    connection = connect(snapshots.snapshot(lively.path))
    query = "select * from relation_history order by version"
    before = connection.rows(query)
    lively.optimize()
    lively.relate("Ada", "knows", "Dee")
    lively.vacuum("7d")
    assert connection.rows(query) == before
    gone = lively.vacuum("0d")
    assert gone
    with pytest.raises(StoreError, match="the data file is missing") as caught:
        connection.rows(query)  # it asked for this: never fewer rows
    assert any(name.split("/")[1] in str(caught.value) for name in gone)
    connection.close()


# --- vacuum --------------------------------------------------------------------------------------


def data_files(store):
    return {str(p.relative_to(store.path)) for p in store.path.rglob("*.parquet")}


def test_vacuum_deletes_what_is_old_and_not_named(lively):
    before = data_files(lively)
    lively.optimize()
    told = state_of(lively)
    sealed = data_files(lively) - before
    assert len(sealed) == 4  # entities, imports, relations and its copy
    assert lively.vacuum("7d") == []
    assert lively.vacuum("30m") == []  # less than an hour is not none
    assert data_files(lively) == before | sealed
    assert set(lively.vacuum("0d")) == before
    assert data_files(lively) == sealed
    assert state_of(lively) == told
    assert lively.vacuum("0d") == []


def test_vacuum_takes_the_copies_of_files_that_are_gone(tmp_path):
    store = small_store(tmp_path / "store")
    store.optimize()
    old = {p.name for p in (store.path / "relations" / "_by_object").iterdir()}
    store.relate("Ada", "knows", "Cyd")
    store.optimize()
    assert store.vacuum("7d") == []  # an old reader may still need them
    gone = store.vacuum("0d")
    assert {f"relations/_by_object/{name}" for name in old} <= set(gone)
    (left,) = (store.path / "relations" / "_by_object").iterdir()
    assert left.name == files(store)[0].path


def test_vacuum_clears_what_killed_processes_left_beside_the_tables(tmp_path):
    store = small_store(tmp_path / "store")
    old, young = (store.path / f".scratch-{n}" for n in ("old", "young"))
    for folder in (old, young):
        folder.mkdir()
        (folder / "spilled.tmp").write_bytes(b"rows")
    door = store.path / ".catalog.duckdb-old"
    door.write_bytes(b"half a door")
    hour = time.time() - 2 * 3600
    for path in (old, door):
        os.utime(path, (hour, hour))
    assert store.vacuum("7d") == []
    assert store.vacuum("0d") == [".catalog.duckdb-old", ".scratch-old"]
    assert (young / "spilled.tmp").exists()  # an import may be at it


def test_vacuum_clears_young_files_only_when_told_to(tmp_path):
    store = small_store(tmp_path / "store")
    young, old = (store.path / "relations" / f"part-{n}.parquet" for n in ("young", "old"))
    for path in (young, old):
        path.write_bytes(b"PAR1")
    week = time.time() - 8 * 86400
    os.utime(old, (week, week))
    assert store.vacuum("7d") == ["relations/part-old.parquet"]
    assert store.vacuum("0d") == ["relations/part-young.parquet"]
