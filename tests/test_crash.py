"""A process that dies in the middle: what was committed stays, the rest is whole or not there."""

from __future__ import annotations

import random
import signal
import time

import pytest
from engine import rows
from stores import empty_store, history_of, load, python, started

import mazarbul_analytics as mz
from mazarbul_analytics.errors import StoreError
from mazarbul_analytics.tables import layout
from mazarbul_analytics.writing import session

ROWS = 4000

IMPORT = """
    import sys
    import mazarbul_analytics as mz
    store = mz.Store(sys.argv[1])
    print("ready", flush=True)
    report = store.import_relations(sys.argv[2])
    print(report.created, report.duplicates, len(report.skipped), flush=True)
"""


@pytest.fixture
def store(tmp_path):
    return empty_store(tmp_path / "store")


def counted(store):
    """Count the relations of each import, and those of none."""
    query = (
        "select split_part(subject, ' ', 1) as part, count(*) as n from relations_now group by 1"
    )
    return {row["part"]: row["n"] for row in rows(store.sql(query))}


def findings(store):
    return {(f["severity"], f["subject"], f["finding"]) for f in rows(store.check())}


def test_killed_at_any_moment_an_import_is_whole_or_not_there(store, tmp_path):
    """Ten imports are killed, each at another moment of its run; then each is run again."""
    store.relate("Kept", "knows", "Bob")
    dice = random.Random(20240229)
    paths = []
    for number in range(10):
        path = tmp_path / f"rows-{number}.csv"
        lines = [f"P{number} {n},knows,Q{n % 700}" for n in range(ROWS)]
        path.write_text("\n".join(["from,predicate,to", *lines]) + "\n", encoding="utf-8")
        paths.append(path)
    begun = time.monotonic()
    code, out, err = python(IMPORT, store.path, paths[0])
    assert (code, out) == (0, f"ready\n{ROWS} 0 0\n"), err
    longest = time.monotonic() - begun
    done = {"Kept": 1, "P0": ROWS}
    for number, path in enumerate(paths[1:], 1):
        process = started(IMPORT, store.path, path)
        assert process.stdout.readline() == "ready\n"
        # from the first reading to a little after the last commit
        time.sleep(longest * 0.6 * (number - dice.random()) / 9)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = counted(mz.Store(store.path))
        assert now in (done, {**done, f"P{number}": ROWS})
        done = now
        assert not [f for f in findings(store) if f[0] == "error"]
    # each is run again: what is in is skipped, the rest goes in; what was left over is cleared
    report = store.import_relations(paths)
    missing = [p for n, p in enumerate(paths) if f"P{n}" not in done]
    assert report.created == ROWS * len(missing)
    assert len(report.skipped) == len(paths) - len(missing)
    assert counted(store) == {"Kept": 1, **{f"P{n}": ROWS for n in range(len(paths))}}
    assert sorted(r["file"] for r in rows(store.sql("from imports"))) == sorted(map(str, paths))
    store.vacuum("0s")
    assert findings(store) == set()
    left = {p.name for p in store.path.iterdir()} - {"catalog.duckdb", ".lock", ".writer"}
    assert {name for name in left if not name.startswith(".")} == set(layout.READ_ORDER)


class Death(BaseException):
    """What a test raises where a process would have died."""


def die(*_args, **_options):
    raise Death


CSV = """
    from,predicate,to,valid_from
    Ada,knows,Bob,2020-01-01
    Ada,knows,Cyd,2020-01-01
    Ada,knows,,2020-01-01
"""


def test_an_import_row_that_a_crash_lost_is_restored_by_the_next_write(
    store, tmp_path, monkeypatch
):
    from mazarbul_analytics.imports import relations

    with monkeypatch.context() as patch:
        patch.setattr(relations, "append_imports", die)
        with pytest.raises(Death):
            load(store, tmp_path, CSV)
    path = tmp_path / "rows.csv"
    before = history_of(store)
    assert len(before) == 2
    assert rows(store.sql("from imports")) == []
    lost = (
        "warning",
        str(path),
        "its row in imports was lost in a crash; the next write restores it",
    )
    assert lost in findings(store)
    store.relate("Dee", "knows", "Eve")
    (row,) = rows(store.sql("from imports"))
    assert (row["file"], row["rows"], row["created"], row["rejected"]) == (str(path), 3, 2, 1)
    assert row["recorded_at"] == before[0][8]
    uids = rows(store.sql("select distinct import_uid as u from relations_unsealed order by all"))
    assert uids == [{"u": row["import_uid"]}, {"u": None}]
    assert lost not in findings(store)
    # and so the file counts as imported
    assert load(store, tmp_path, CSV).skipped == [str(path)]


def test_the_same_import_run_again_after_that_crash_writes_nothing_twice(
    store, tmp_path, monkeypatch
):
    from mazarbul_analytics.imports import relations

    with monkeypatch.context() as patch:
        patch.setattr(relations, "append_imports", die)
        with pytest.raises(Death):
            load(store, tmp_path, CSV)
    report = load(store, tmp_path, CSV)
    assert (report.rows, report.rejected, report.rejects.height) == (0, 0, 0)
    assert report.skipped == [str(tmp_path / "rows.csv")]
    assert len(history_of(store)) == 2
    assert len(rows(store.sql("from imports"))) == 1


def test_entities_of_an_import_that_died_do_no_harm(store, tmp_path, monkeypatch):
    append = session.Session.append

    def only_entities(self, name, *args):
        if name != "entities":
            raise Death
        return append(self, name, *args)

    with monkeypatch.context() as patch:
        patch.setattr(session.Session, "append", only_entities)
        with pytest.raises(Death):
            load(store, tmp_path, CSV)
    assert history_of(store) == []
    assert any("have no relation" in f[2] for f in findings(store))
    assert rows(store.relations("Ada")) == []
    assert load(store, tmp_path, CSV).created == 2
    assert not [f for f in findings(store) if f[0] != "info"]
    assert len(rows(store.entities())) == 3


def test_an_import_of_entities_that_died_is_restored_too(store, tmp_path, monkeypatch):
    from mazarbul_analytics.imports import entities

    path = tmp_path / "entities.csv"
    path.write_text("name,type\nAda,person\n", encoding="utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(entities, "append_imports", die)
        with pytest.raises(Death):
            store.import_entities(path)
    assert store.import_entities(path).skipped == [str(path)]
    assert [r["kind"] for r in rows(store.sql("from imports"))] == ["entities"]


def test_what_is_done_is_not_reported_as_failed(store, monkeypatch, caplog):
    """The change is committed; the door, which comes last, cannot be written."""
    from mazarbul_analytics.door import catalog

    def no_room(_snapshot):
        raise StoreError("cannot write catalog.duckdb: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(catalog, "build", no_room)
        assert store.relate("Ada", "knows", "Bob").status == "created"
        with pytest.raises(StoreError, match="No space left"):
            store.catalog()  # here the door is what was asked for
    assert "what was asked is done" in caplog.text
    assert "No space left on device" in caplog.text
    assert [f[2] for f in findings(store)] == ["is behind the tables: run `mazarbul catalog`"]
    store.relate("Ada", "knows", "Cyd")
    assert findings(store) == set()
