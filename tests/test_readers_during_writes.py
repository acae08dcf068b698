"""Readers of the door in processes of their own, while a writer commits, optimizes and vacuums.

`MAZARBUL_READERS_SECONDS=60` lets the writer go on for that long; without it, for some rounds.
"""

from __future__ import annotations

import json
import os
import time

import duckdb
import pytest
from stores import load, small_store, started

import mazarbul_analytics as mz
from mazarbul_analytics.door import catalog
from mazarbul_analytics.tables import layout, snapshots
from mazarbul_analytics.upkeep import vacuum

ROUNDS = 2
ANSWERS = 24
"""The writer makes so many rounds, and goes on until every reader has given so many answers."""

READERS = {"anew-1": 1, "anew-2": 1, "keeps-1": 4, "keeps-2": 8}
"""How many questions each asks before it opens the door again."""

STATE = """
    select count(*), count(*) filter (where superseded_at is null), epoch_us(max(recorded_at)),
        count(*) filter (where subject is null or object is null),
        bit_xor(hash(version, subject, predicate, object, attributes, valid_from, valid_to,
            recorded_at, superseded_at)),
        (select count(*) from relations_now), (select count(*) from imports)
    from relation_history
"""
"""What a reader asks: two states that differ in any version give different answers."""

READER = """
    import json, pathlib, sys, time, duckdb
    door, stop, answers, state, keep = sys.argv[1:]
    with open(answers, "w") as out:
        last = False
        while not last:
            last = pathlib.Path(stop).exists()
            with duckdb.connect(door, read_only=True) as connection:
                for number in range(int(keep)):
                    found = connection.execute(state).fetchone()
                    print(json.dumps([number, found]), file=out, flush=True)
                    time.sleep(0.05)
"""


@pytest.fixture
def store(tmp_path):
    store = small_store(tmp_path / "store")
    store.catalog()  # that of the copy names the files of what it was copied from
    return store


def seen(store):
    """Return the state as a door that is opened now shows it."""
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as door:
        return list(door.execute(STATE).fetchone())


def changes(store, folder, number):
    """Yield after each change of one round: singles, an import, and the keeping of the store."""
    name = f"P{number}"
    store.relate(name, "works_at", "Mill", valid_from="2020-01-01")
    yield
    store.relate(name, "works_at", "Farm", valid_from="2022-01-01", exclusive=True)
    yield
    lines = "".join(f"{name},knows,F{n},2021-01-01\n" for n in range(50))
    load(store, folder, "from,predicate,to,valid_from\n" + lines, name=f"{name}.csv")
    yield
    store.unrelate(name, "knows", "F7", valid_from="2023-01-01")
    yield
    store.retract(store.relate(name, "knows", "F8", valid_from="2021-01-01").relation_uid)
    yield
    stray = layout.new_file(store.path, "relations")
    stray.write_bytes(b"left by a writer that was killed")
    os.utime(stray, (0, 0))
    if number % 2:
        store.optimize()
        yield
    assert f"relations/{stray.name}" in store.vacuum()
    yield


def test_no_reader_fails_or_sees_what_was_never_committed(store, tmp_path):
    door, stop = store.path / "catalog.duckdb", tmp_path / "stop"
    files = {name: tmp_path / f"{name}.jsonl" for name in READERS}
    readers = {
        name: started(READER, door, stop, files[name], STATE, keep)
        for name, keep in READERS.items()
    }

    def answers(name):
        text = files[name].read_text(encoding="utf-8") if files[name].exists() else ""
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def all_at_work():
        assert [name for name, reader in readers.items() if reader.poll() is not None] == []
        return all(len(answers(name)) >= ANSWERS for name in READERS)

    committed = [seen(store)]
    until = time.monotonic() + float(os.environ.get("MAZARBUL_READERS_SECONDS", "0"))
    number = 0
    try:
        while number < ROUNDS or time.monotonic() < until or not all_at_work():
            committed.extend(seen(store) for _ in changes(store, tmp_path, number))
            number += 1
        stop.touch()
        for name, reader in readers.items():
            _, err = reader.communicate(timeout=120)
            assert (reader.returncode, err) == (0, ""), name
    finally:
        for reader in readers.values():
            reader.kill()
            reader.communicate()
    for name, keep in READERS.items():
        given = answers(name)
        states = [state for _, state in given]
        places = [committed.index(state) for state in states]  # fails for what never was
        assert places == sorted(places), f"{name} went back"
        assert len(set(places)) > 1, f"{name} saw nothing new"
        assert states[-1] == committed[-1], f"{name} did not see the newest state"
        for start in range(0, len(states), keep):
            kept = states[start : start + keep]
            assert kept == [kept[0]] * keep, f"{name}: an open door showed two states"
        assert not any(state[3] for state in states), f"{name}: a relation lacked its entity"
        all_states = len({json.dumps(state) for state in committed})
        print(f"{name}: {len(states)} answers, {len(set(places))} of {all_states} states")


# --- what vacuum does to a reader with an older door ---------------------------------------------


def test_an_older_door_is_good_until_a_vacuum_takes_its_files(store):
    before = seen(store)
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as older:
        store.relate("Ada", "knows", "Cyd", valid_from="2020-01-01")
        store.optimize()
        assert store.vacuum() == []
        assert store.vacuum("1h") == []
        assert list(older.execute(STATE).fetchone()) == before
        gone = store.vacuum("0s")
        assert any(name.startswith("relations/") for name in gone)
        with pytest.raises(duckdb.IOException, match="relations/part-"):
            older.execute(STATE).fetchone()
    assert seen(store)[0] == 2


def test_vacuum_renews_a_door_that_was_left_behind_before_it_deletes(store, monkeypatch, caplog):
    def full(_snapshot):
        raise mz.StoreError("no space left")

    store.relate("Ada", "knows", "Cyd", valid_from="2020-01-01")
    with monkeypatch.context() as disk:
        disk.setattr(catalog, "build", full)
        store.optimize()
    assert "renewing catalog.duckdb failed" in caplog.text
    assert catalog.is_behind(snapshots.snapshot(store.path))
    clear, doors = vacuum.clear, []

    def watched(snapshot, hours):
        gone = clear(snapshot, hours)
        doors.append(seen(store)[0])
        return gone

    monkeypatch.setattr(vacuum, "clear", watched)
    assert store.vacuum("0s")
    assert doors == [2]
