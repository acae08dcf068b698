"""The gap report as tables: every part, its instants, what is new and what was closed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from relayworld import AS_OF, hard_store, record, write_jsonl

import mazarbul_analytics as mz
from mazarbul_analytics import Store, schema
from mazarbul_analytics.relays import gaps


def instant(day, hour=0):
    return datetime(2024, 1, day, hour, tzinfo=UTC)


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    return hard_store(tmp_path_factory.mktemp("gaps"))


def test_every_part_of_a_report(hard):
    report = hard.gaps(as_of=AS_OF)
    assert report.as_of == datetime(2024, 2, 1, tzinfo=UTC)
    assert (report.present, report.missing, report.new, report.hole_ids) == (8, 4, 4, 5)
    for name in ("known_missing", "closed", "late", "holes", "continuity", "timeline"):
        assert getattr(report, name).schema == schema.RESULTS[name], name
    found = {r["relay_id"]: r for r in report.known_missing.to_pylist()}
    assert found["relay-0011"] == {
        "relay_id": "relay-0011",
        "named_by": ["relay-0012", "relay-0014"],
        "first_named_at": instant(6),
        "age_seconds": 26 * 86_400,
        "previous_present": "relay-0010",
        "next_present": "relay-0012",
        "issued_after": instant(5, 6),
        "issued_before": instant(6),
        "is_new": True,
    }
    # above the newest; of another form: no neighbour at all
    above, other = found["relay-0999"], found["pr-12"]
    assert (above["previous_present"], above["next_present"]) == ("relay-0014", None)
    assert (other["previous_present"], other["issued_before"]) == (None, None)
    assert report.late.to_pylist() == [
        {
            "relay_id": "relay-0010",
            "first_named_at": instant(3),
            "deposited_at": instant(5, 6),
            "delay_seconds": 54 * 3600,
        }
    ]
    assert [tuple(h.values()) for h in report.holes.to_pylist()] == [
        ("relay-0001", "relay-0002", 2),
        ("relay-0007", "relay-0008", 2),
        ("relay-0013", "relay-0013", 1),
    ]
    assert [
        (c["relay_id"], c["continuity"], c["claimed"][:2]) for c in report.continuity.to_pylist()
    ] == [
        ("relay-0010", "DIVERGES", "00"),
        ("relay-0012", "UNANCHORED", "11"),
    ]
    assert report.closed.num_rows == 0


def test_an_empty_archive_has_no_gaps(tmp_path):
    report = Store(tmp_path / "s", create=True).gaps()
    assert (report.present, report.missing, report.new, report.hole_ids) == (0, 0, 0, 0)
    assert report.timeline.num_rows == 0
    assert not report.alarms(["missing", "new", "holes"])


def test_as_of_hides_what_came_later(hard):
    report = hard.gaps(as_of="2024-01-04T00:00:00Z")
    assert report.present == 5
    assert report.known_missing["relay_id"].to_pylist() == ["pr-12", "relay-0010", "relay-0999"]
    assert report.known_missing["age_seconds"].to_pylist() == [172_800, 86_400, 172_800]
    assert report.late.num_rows == report.continuity.num_rows == 0
    assert [h["last"] for h in report.holes.to_pylist()] == ["relay-0002", "relay-0008"]


@pytest.mark.parametrize(
    ("last", "holes"),
    [
        ("relay-0013", ["relay-0001", "relay-0007", "relay-0013"]),
        ("relay-0020", ["relay-0001", "relay-0007", "relay-0013", "relay-0015"]),
        ("relay-0005", ["relay-0001"]),
        ("relay-0001", ["relay-0001"]),
        ("relay-0000", []),
    ],
)
def test_holes_reach_to_the_declared_last(hard, last, holes):
    assert hard.gaps(as_of=AS_OF, last=last).holes["first"].to_pylist() == holes


def test_bad_arguments_are_refused(hard, tmp_path):
    for given in (
        {"last": "relay-20"},
        {"as_of": "noon"},
        {"older_than": "soon"},
        {"since": "2024-01-01", "state": tmp_path / "x"},
    ):
        with pytest.raises(mz.InvalidValue):
            hard.gaps(**given)
    with pytest.raises(mz.InvalidValue, match="no condition"):
        hard.gaps().alarms(["sometimes"])


def test_new_and_closed_since_an_instant(hard):
    report = hard.gaps(as_of=AS_OF, since="2024-01-04T00:00:00Z")
    new = {r["relay_id"]: r["is_new"] for r in report.known_missing.to_pylist()}
    assert new == {"a|b<i>*": True, "pr-12": False, "relay-0011": True, "relay-0999": False}
    assert report.closed.to_pylist() == [
        {"relay_id": "relay-0010", "first_named_at": instant(3), "deposited_at": instant(5, 6)}
    ]
    # named and closed in between: it was never a gap of a report
    assert hard.gaps(as_of=AS_OF, since="2024-01-02T12:00:00Z").closed.num_rows == 0


def test_older_than_limits_list_and_alarm(hard):
    young = hard.gaps(as_of="2024-01-07T12:00:00Z", older_than="5d")
    assert young.missing == 4
    assert young.known_missing["relay_id"].to_pylist() == ["pr-12", "relay-0999"]
    none = hard.gaps(as_of="2024-01-07T12:00:00Z", older_than=timedelta(days=30))
    assert not none.alarms(["missing", "new"])
    assert none.alarms(["missing", "holes"])
    assert not none.alarms(["none"])


def test_a_state_file_remembers_the_last_report(tmp_path):
    store = Store(tmp_path / "s", create=True)
    state = tmp_path / "gaps.state"
    store.relays.deposit(record("relay-0003", parent="relay-0001", ref="relay-0002"))
    first = store.gaps(state=state)
    assert first.new == 2
    assert not state.exists()
    first.remember()
    again = store.gaps(state=state)
    assert (again.new, again.missing, again.closed.num_rows) == (0, 2, 0)
    assert not again.alarms(["new"])
    again.remember()
    store.relays.deposit(record("relay-0002", ref="relay-0007"))
    third = store.gaps(state=state)
    assert third.closed["relay_id"].to_pylist() == ["relay-0002"]
    assert [r["relay_id"] for r in third.known_missing.to_pylist() if r["is_new"]] == ["relay-0007"]
    third.remember()
    fourth = store.gaps(state=state)
    assert (fourth.new, fourth.closed.num_rows) == (0, 0)


def test_a_crash_before_the_state_is_written_tells_the_gap_again(tmp_path, monkeypatch):
    store = Store(tmp_path / "s", create=True)
    state = tmp_path / "gaps.state"
    store.relays.deposit(record("relay-0003", ref="relay-0002"))
    store.gaps(state=state).remember()
    before = state.read_bytes()
    store.relays.deposit(record("relay-0004", ref="relay-0001"))

    def crash(_):
        raise OSError(28, "No space left on device")

    report = store.gaps(state=state)
    with monkeypatch.context() as patch:
        patch.setattr(gaps.os, "fsync", crash)
        with pytest.raises(mz.StoreError, match="cannot write the state file"):
            report.remember()
    assert state.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gaps.state", "s"]
    told = store.gaps(state=state).known_missing.to_pylist()
    assert [r["relay_id"] for r in told if r["is_new"]] == ["relay-0001"]


def test_a_gap_that_was_too_young_is_new_when_it_is_old_enough(hard, tmp_path):
    state = tmp_path / "gaps.state"
    hard.gaps(as_of="2024-01-07T12:00:00Z", older_than="5d", state=state).remember()
    later = hard.gaps(as_of="2024-01-12T00:00:00Z", older_than="5d", state=state)
    new = {r["relay_id"] for r in later.known_missing.to_pylist() if r["is_new"]}
    assert new == {"a|b<i>*", "relay-0011"}
    later.remember()
    # a narrower report does not make the state forget
    hard.gaps(as_of=AS_OF, older_than="4w", state=state).remember()
    assert hard.gaps(as_of=AS_OF, state=state).new == 0


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "x", "knownMissing": []}', "\x00"])
def test_what_is_no_state_file_is_refused(hard, tmp_path, text):
    state = tmp_path / "gaps.state"
    state.write_text(text, encoding="utf-8")
    with pytest.raises(mz.InvalidValue, match="not a state file"):
        hard.gaps(state=state)


def test_the_state_is_sorted_json(hard, tmp_path):
    state = tmp_path / "gaps.state"
    hard.gaps(as_of=AS_OF, state=state).remember()
    assert json.loads(state.read_text(encoding="utf-8")) == {
        "format": "mazarbul-gap-state/1",
        "asOf": "2024-02-01T00:00:00Z",
        "knownMissing": ["a|b<i>*", "pr-12", "relay-0011", "relay-0999"],
    }


def test_a_timeline_counts_at_each_instant(tmp_path):
    rows = [
        ("relay-0001", "2024-01-01T00:00:00Z", record("relay-0001", ref="relay-0003")),
        ("relay-0002", "2024-01-02T00:00:00Z", record("relay-0002", ref="relay-0009")),
        ("relay-0003", "2024-01-03T00:00:00Z", record("relay-0003")),
    ]
    store = Store(tmp_path / "s", create=True)
    store.relays.import_(write_jsonl(tmp_path / "r.jsonl", rows), trust_deposited_at=True)
    found = store.sql("from relay_timeline('2024-01-05', 4)").fetchall()
    assert [(at.day, present, missing) for at, present, missing in found] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 1),
        (4, 3, 1),
        (5, 3, 1),
    ]


def test_a_batch_is_late_by_its_own_instants_only(tmp_path):
    """Records of one import came at one instant: none of them is late."""
    store = Store(tmp_path / "s", create=True)
    rows = [(f"relay-{n:04d}", None, record(ref=f"relay-{n + 1:04d}")) for n in range(1, 5)]
    store.relays.import_(write_jsonl(tmp_path / "r.jsonl", rows))
    assert store.gaps().late.num_rows == 0
    store.relays.deposit(record("relay-0005"))
    assert store.gaps().late["relay_id"].to_pylist() == ["relay-0005"]
