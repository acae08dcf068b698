"""The tables below the store: snapshots, compare-and-swap, the clock, damage, odd paths."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from engine import rows
from stores import empty_store, small_store, state_of

import mazarbul_analytics as mz
from mazarbul_analytics.engine import datafiles
from mazarbul_analytics.engine.connection import connect
from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.schema import TABLES, duckdb_type
from mazarbul_analytics.tables import commits, layout, snapshots

DAY = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    return empty_store(tmp_path / "store")


@pytest.fixture
def told(tmp_path):
    return small_store(tmp_path / "store")


def written(root, *names):
    """Write a data file of entities that no commit names yet."""
    values = {"entity_uid": "$n", "name": "$n", "name_key": "lower($n)", "type": "'concept'"}
    columns = ", ".join(
        f"cast({values.get(f.name, 'null').replace('$n', 'n')} as {duckdb_type(f)}) as {f.name}"
        for f in TABLES["entities"]
    )
    listed = ", ".join(f"('{name}')" for name in names)
    connection = connect()
    try:
        return datafiles.write(
            connection,
            f"select {columns} from (values {listed}) as t(n)",
            layout.new_file(root, "entities"),
            table="entities",
        )
    finally:
        connection.close()


def findings(store):
    return [(f["severity"], f["subject"], f["finding"]) for f in rows(store.check())]


def data_file(store, name="relations"):
    (file,) = snapshots.snapshot(store.path).tables[name].files
    return store.path / name / file.path


# --- snapshots and commits -----------------------------------------------------------------------


def test_an_empty_store_answers_with_no_rows(store):
    snapshot = snapshots.snapshot(store.path)
    assert snapshot.versions == {"entities": 0, "imports": 0, "relations": 0, "relays": 0}
    assert snapshot.newest_commit is None
    assert snapshot.is_current()
    assert state_of(store) == ([], [], [])
    assert findings(store) == [
        ("warning", "catalog.duckdb", "is behind the tables: run `mazarbul catalog`")
    ]


def test_making_a_store_again_changes_nothing(store):
    store.relate("Ada", "knows", "Bob")
    before = state_of(store)
    commits.create(store.path)
    assert state_of(mz.Store(store.path, create=True)) == before


def test_a_store_half_made_is_finished_by_the_next_init(tmp_path):
    (tmp_path / "store" / "relations" / "_delta_log").mkdir(parents=True)
    with pytest.raises(StoreError, match="no store at"):
        mz.Store(tmp_path / "store")
    assert mz.Store(tmp_path / "store", create=True).relate("A", "knows", "B").status == "created"


def test_a_commit_counts_up_and_a_stale_handle_conflicts(store):
    root = store.path
    first = snapshots.snapshot(root).tables["entities"]
    second = snapshots.snapshot(root).tables["entities"]
    assert commits.commit(first, root, [written(root, "Ada")]) == 1
    with pytest.raises(commits.Conflict):
        commits.commit(second, root, [written(root, "Bob")])
    # the handle that committed has not moved on by itself either
    with pytest.raises(commits.Conflict):
        commits.commit(first, root, [written(root, "Cyd")])
    now = snapshots.snapshot(root).tables["entities"]
    assert (now.version, now.rows) == (1, 1)
    assert rows(store.sql("select name from entities")) == [{"name": "Ada"}]


def test_a_snapshot_stays_what_it_was(store):
    before = snapshots.snapshot(store.path)
    store.relate("Ada", "knows", "Bob")
    assert not before.is_current()
    connection = connect(before)
    assert connection.scalar("select count(*) from relation_history") == 0
    connection.close()
    assert len(state_of(store)[0]) == 1


def test_statistics_are_those_of_the_rows(store):
    store.relate("Ada", "knows", "Bob", valid_from="1805-03-01T00:00:00.000001Z")
    store.relate("Ada", "knows", "Cyd", valid_from="2031-01-01")
    state = snapshots.snapshot(store.path).tables["relations"]
    assert [f.rows for f in state.files] == [1, 1]
    assert state.highest("version") == 2
    starts = sorted(f.lowest["valid_from"] for f in state.files)
    assert starts == [
        datetime(1805, 3, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(2031, 1, 1, tzinfo=UTC),
    ]
    assert state.highest("valid_to") is None


# --- the clock -----------------------------------------------------------------------------------


class Stopped(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz=None):  # noqa: ARG003
        return DAY


def test_the_clock_never_gives_the_same_or_an_earlier_instant(store, monkeypatch):
    store.relate("Ada", "knows", "Bob")
    held = snapshots.snapshot(store.path).newest_commit
    monkeypatch.setattr(commits, "datetime", Stopped)  # the machine's clock was set back
    for name in ("Cyd", "Dee", "Eve"):
        store.relate("Ada", "knows", name)
    told = [row[8] for row in state_of(store)[0]]
    assert told == [held + timedelta(microseconds=n) for n in range(4)]


def test_the_clock_of_an_empty_store_is_the_machines(store, monkeypatch):
    monkeypatch.setattr(commits, "datetime", Stopped)
    assert commits.next_instant(snapshots.snapshot(store.path)) == DAY


# --- a log that a power cut left -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("relations", ""),
        ("relations", '{"commitInfo":{}}\n{"add"'),
        ("relations", "\0\0\0\0"),
        ("entities", ""),
        ("imports", "[]"),
    ],
)
def test_an_empty_or_torn_log_entry_is_refused(told, name, left):
    store = told
    version = snapshots.snapshot(store.path).tables[name].version + 1
    entry = store.path / name / "_delta_log" / f"{version:020d}.json"
    entry.write_text(left)
    for call in (
        lambda: mz.Store(store.path),
        lambda: store.relations("Ada"),
        lambda: store.relate("Ada", "knows", "Cyd"),
    ):
        with pytest.raises(StoreError, match="empty or torn") as caught:
            call()
        assert str(entry) in str(caught.value)
    ((severity, _, finding),) = findings(store)
    assert severity == "error"
    assert str(entry) in finding
    # the mend that the message gives
    entry.unlink()
    assert store.relate("Ada", "knows", "Cyd").status == "created"


def test_check_finds_a_torn_entry_below_a_checkpoint(store):
    for name in ("Bob", "Cyd"):
        store.relate("Ada", "knows", name)
    snapshots.snapshot(store.path).tables["relations"].handle.create_checkpoint()
    log = store.path / "relations" / "_delta_log"
    (log / f"{1:020d}.json").write_text('{"commitInfo"')
    assert ("error", str(log / f"{1:020d}.json"), "the log entry is empty or torn") in findings(
        store
    )


def test_a_missing_log_is_an_error_that_names_the_folder(store):
    shutil.rmtree(store.path / "entities" / "_delta_log")
    with pytest.raises(StoreError, match="entities: the table's log is missing"):
        mz.Store(store.path)


def test_a_newer_format_is_refused(store):
    entry = store.path / "relations" / "_delta_log" / f"{0:020d}.json"
    text = entry.read_text(encoding="utf-8")
    assert '"mazarbul.formatVersion":"1"' in text
    entry.write_text(
        text.replace('"mazarbul.formatVersion":"1"', '"mazarbul.formatVersion":"2"'),
        encoding="utf-8",
    )
    with pytest.raises(StoreError, match=r"format 2, this release reads 1\nInstall a newer"):
        mz.Store(store.path)


# --- data files ----------------------------------------------------------------------------------


def damage(path, how):
    held = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(held[: len(held) // 2])
    else:  # the footer is whole, a page is not
        path.write_bytes(held[:4] + bytes(b ^ 0x5A for b in held[4:300]) + held[300:])


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "inside"])
@pytest.mark.parametrize("name", ["relations", "entities"])
def test_damage_is_an_error_that_names_the_file(told, name, how):
    store = told
    path = data_file(store, name)
    damage(path, how)
    with pytest.raises(StoreError) as caught:
        rows(mz.Store(store.path).relations("Ada"))
    assert str(path) in str(caught.value)
    ((severity, subject, _), *_) = findings(store)
    assert (severity, subject) == ("error", str(path))


def test_a_write_over_a_damaged_file_changes_nothing(told):
    store = told
    damage(data_file(store), "missing")
    before = snapshots.snapshot(store.path).versions
    for call in (lambda: store.relate("Ada", "knows", "Cyd"), store.optimize):
        with pytest.raises(StoreError):
            call()
    assert snapshots.snapshot(store.path).versions == before


def test_a_file_with_fewer_rows_than_the_log_says_is_found(told):
    store = told
    path = data_file(store, "entities")
    other = written(store.path, "Ada")
    other.path.replace(path)
    assert ("error", str(path), "holds 1 rows, the log says 2") in findings(store)


def test_strays_are_not_read_but_listed_and_cleared(told):
    store = told
    store.catalog()
    before = state_of(store)
    folder = store.path / "relations"
    strays = ["part-0.parquet", "part-1.parquet", "half.parquet.tmp", "notes.csv"]
    shutil.copy(data_file(store), folder / strays[0])
    for name in strays[1:]:
        (folder / name).write_bytes(b"")
    assert state_of(mz.Store(store.path)) == before
    told = [subject for severity, subject, _ in findings(store) if severity == "info"]
    assert told == sorted(str(folder / name) for name in strays)
    assert store.vacuum("7d") == []  # they are too young
    assert store.vacuum("0s") == sorted(f"relations/{name}" for name in strays)
    assert findings(store) == []
    assert state_of(store) == before


def test_hidden_files_of_other_tools_are_kept(told):
    store = told
    (store.path / "relations" / "_SUCCESS").write_text("")
    assert store.vacuum("0s") == []
    assert (store.path / "relations" / "_SUCCESS").exists()


# --- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ['a [b] it\'s "q" Ördner-雪', "star*", "scope=team/what?predicate=owns"],
)
def test_odd_paths(tmp_path, name):
    store = mz.Store(tmp_path / name / "store", create=True)
    # a sibling that the name would match if it were taken for a pattern
    other = mz.Store(tmp_path / "starX" / "store", create=True)
    other.relate("No", "knows", "One")
    csv = store.path.parent / "rows.csv"
    csv.write_text("from,predicate,to\nAda,knows,Bob\n", encoding="utf-8")
    assert store.import_relations(csv).created == 1
    store.relate("Ada", "knows", "Cyd")
    assert store.optimize()["relations"] == 2
    store.relate("Ada", "knows", "Dee")
    found = rows(mz.Store(store.path).relations("Ada"))
    assert sorted(r["object"] for r in found) == ["Bob", "Cyd", "Dee"]
    assert {r["scope"] for r in found} == {"project"}
    store.vacuum("0s")
    assert findings(store) == []
    assert json.dumps(rows(store.sql("select count(*) as n from relations_now"))) == '[{"n": 3}]'


@pytest.mark.parametrize("name", ["50%", "a%20b/store"])
def test_a_path_with_a_percent_sign_is_refused(tmp_path, name):
    with pytest.raises(InvalidValue, match="cannot hold '%'"):
        mz.Store(tmp_path / name, create=True)
    assert not (tmp_path / name).exists()


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = mz.Store("here", create=True)
    store.relate("Ada", "knows", "Bob")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(rows(store.relations("Ada"))) == 1


def test_a_store_cannot_be_made_where_a_file_is(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make a store"):
        mz.Store(tmp_path / "file", create=True)
