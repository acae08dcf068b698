"""Several processes at one store: nothing is lost, nothing is told twice, nobody waits for ever."""

from __future__ import annotations

import signal
import threading

import pytest
from engine import rows
from stores import empty_store, history_of, load, started

import mazarbul_analytics as mz
from mazarbul_analytics.errors import InvalidValue, WriterBusy
from mazarbul_analytics.imports import entities, relations
from mazarbul_analytics.tables import commits, lock, snapshots

EACH = 300

RELATE = """
    import sys
    import mazarbul_analytics as mz
    store = mz.Store(sys.argv[1])
    for number in range(2):
        store.relate("Hub", "knows", f"Both {number}", valid_from="2020-01-01")
        store.relate("Hub", "knows", f"{sys.argv[2]} {number}", valid_from="2020-01-01")
"""

IMPORT = """
    import sys
    import mazarbul_analytics as mz
    report = mz.Store(sys.argv[1]).import_relations(sys.argv[2])
    print(report.created)
"""

HOLD = """
    import sys, pathlib, time
    from mazarbul_analytics.tables import lock
    with lock.writer(pathlib.Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(60)
"""


@pytest.fixture
def store(tmp_path):
    return empty_store(tmp_path / "store")


@pytest.fixture
def holder(store):
    """Hold the lock in another process."""
    process = started(HOLD, store.path)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_writers_lose_nothing_and_readers_see_whole_imports(store, tmp_path):
    paths = []
    for number in range(2):
        path = tmp_path / f"rows-{number}.csv"
        lines = [f"W{number} {n},owns,Mill" for n in range(EACH)]
        path.write_text("\n".join(["from,predicate,to", *lines]) + "\n", encoding="utf-8")
        paths.append(path)
    processes = [started(RELATE, store.path, name) for name in ("Left", "Right")]
    processes += [started(IMPORT, store.path, path) for path in paths]
    seen = set()
    while any(p.poll() is None for p in processes):
        query = "select count(*) as n from relations_now where predicate = 'owns'"
        seen.add(rows(store.sql(query))[0]["n"])
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, err
        assert out in ("", f"{EACH}\n")
    assert seen <= {0, EACH, 2 * EACH}
    found = history_of(store)
    assert len(found) == 2 * EACH + 3 * 2
    keys = {(row[2], row[3], row[4]) for row in found}
    assert len(keys) == len(found)  # one version each, also of what both told
    assert [row[0] for row in found] == list(range(1, len(found) + 1))
    clock = [row[8] for row in found]
    assert clock == sorted(clock)
    assert len(set(clock)) == 2 + 3 * 2  # no two changes at one instant
    assert len(rows(store.sql("from imports"))) == 2
    assert rows(store.check()) == []


def test_threads_of_one_process_queue_too(store):
    def tell(name):
        for number in range(3):
            mz.Store(store.path).relate(name, "knows", f"{number}")

    threads = [threading.Thread(target=tell, args=(name,)) for name in ("Ada", "Bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((row[2], row[4]) for row in history_of(store)) == [
        (name, str(number)) for name in ("Ada", "Bob") for number in range(3)
    ]


def test_a_busy_store_names_the_holder(store, tmp_path, monkeypatch, holder):
    monkeypatch.setenv("MAZARBUL_LOCK_TIMEOUT", "0.2")
    for call in (
        lambda: store.relate("Ada", "knows", "Bob"),
        lambda: load(store, tmp_path, "from,predicate,to\nAda,knows,Bob"),
        store.optimize,
    ):
        with pytest.raises(WriterBusy) as caught:
            call()
        assert caught.value.holder.startswith(f"process {holder.pid} since 2")
        assert caught.value.holder in str(caught.value)
        assert "(waited 0.2 s)" in str(caught.value)
    # readers do not wait
    assert history_of(store) == []


def test_the_lock_of_a_killed_writer_does_not_block(store, monkeypatch, holder):
    monkeypatch.setenv("MAZARBUL_LOCK_TIMEOUT", "10")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert store.relate("Ada", "knows", "Bob").status == "created"


@pytest.mark.parametrize("given", ["soon", "1m", ""])
def test_a_bad_timeout_is_refused(store, monkeypatch, given):
    monkeypatch.setenv("MAZARBUL_LOCK_TIMEOUT", given)
    with pytest.raises(InvalidValue, match="MAZARBUL_LOCK_TIMEOUT is not a number"):
        store.relate("Ada", "knows", "Bob")


# --- a writer on another machine, which no lock holds off ----------------------------------------


@pytest.fixture
def rival(monkeypatch):
    """Let another commit come between the reading and the first commit of a table."""

    def between(name, act):
        commit = commits.commit
        waiting = [act]

        def commit_late(state, *args, **options):
            if state.name == name and waiting:
                waiting.pop()()
            return commit(state, *args, **options)

        monkeypatch.setattr(commits, "commit", commit_late)

    return between


def outside(store, call):
    """Make a call as from another machine: without this machine's lock."""

    def act():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lock, "writer", lambda _root: threading.RLock())
            call(store)

    return act


def test_a_call_decides_again_when_another_commit_came_first(store, rival):
    rival("relations", outside(store, lambda s: s.relate("Ada", "knows", "Bob")))
    done = store.relate("ada", "knows", "bob")
    assert done.status == "duplicate"
    assert len(history_of(store)) == 1
    assert len(rows(store.entities())) == 2


CSV = "from,predicate,to\nAda,knows,Bob\nAda,knows,Cyd\nAda,knows,\n"


def test_an_import_that_decides_again_counts_once(store, tmp_path, rival):
    rival("relations", outside(store, lambda s: s.relate("Ada", "knows", "Bob")))
    report = load(store, tmp_path, CSV)
    assert (report.rows, report.created, report.duplicates, report.rejected) == (3, 1, 1, 1)
    assert report.rejects.height == 1
    assert [r["rows"] for r in rows(store.sql("select rows from imports"))] == [3]
    assert len(history_of(store)) == 2


def test_an_import_of_entities_that_decides_again_counts_once(store, tmp_path, rival):
    path = tmp_path / "entities.csv"
    path.write_text("name,type\nAda,person\nBob,person\n,person\n", encoding="utf-8")
    rival("entities", outside(store, lambda s: s.relate("Ada", "knows", "Cyd")))
    report = store.import_entities(path)
    assert (report.rows, report.created, report.duplicates, report.rejected) == (3, 1, 1, 1)
    assert len(rows(store.entities())) == 3


@pytest.mark.parametrize("kind", ["relations", "entities"])
def test_a_file_that_another_imported_meanwhile_is_skipped(store, tmp_path, monkeypatch, kind):
    """Both found it new, as two that begin at once do."""
    text = CSV if kind == "relations" else "name,type\nAda,person\n,person\n"
    path = tmp_path / "same.csv"
    path.write_text(text, encoding="utf-8")
    call = getattr(store, f"import_{kind}")
    call(path)
    before = snapshots.snapshot(store.path).versions
    module = relations if kind == "relations" else entities
    monkeypatch.setattr(module, "unseen", lambda _state, files, *_: (list(files), []))
    report = call(path, on_error="abort")
    assert report.skipped == [str(path)]
    assert (report.rows, report.rejected, report.rejects.height) == (0, 0, 0)
    assert snapshots.snapshot(store.path).versions == before
