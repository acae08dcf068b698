"""The JSON shapes, held to golden texts; no store is needed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import NamedTuple

import pyarrow as pa
import pytest

from mazarbul_analytics.rules import answers
from mazarbul_analytics.rules.switches import switched_on


class Entity(NamedTuple):
    uid: str
    name: str
    type: str


JEFF = Entity("550e8401-0000-8000-a000-000000000001", "Jeff", "person")
ACME = Entity("550e8402-0000-8000-a000-000000000002", "Acme Corp", "organization")
DONE = SimpleNamespace(
    status="created",
    relation_uid="550e8400-0000-8000-a000-000000000000",
    subject=JEFF,
    object=ACME,
    predicate="works_at",
    relation_text="works_at",
)

COMPACT = (
    '{"ok":true,"rel":"550e8400","from":{"id":"550e8401","n":"Jeff","t":"person"},'
    '"to":{"id":"550e8402","n":"Acme Corp","t":"organization"}}'
)
VERBOSE = """\
{
  "success": true,
  "message": "Created relation: Jeff works_at Acme Corp",
  "relationId": "550e8400-0000-8000-a000-000000000000",
  "fromEntity": {
    "id": "550e8401-0000-8000-a000-000000000001",
    "name": "Jeff",
    "type": "person"
  },
  "toEntity": {
    "id": "550e8402-0000-8000-a000-000000000002",
    "name": "Acme Corp",
    "type": "organization"
  }
}"""


def test_relate_compact():
    assert answers.relate_compact(DONE) == COMPACT


def test_relate_verbose():
    assert answers.relate_verbose(DONE) == VERBOSE


@pytest.mark.parametrize("status", ["duplicate", "corrected"])
def test_the_status_changes_no_answer(status):
    done = SimpleNamespace(**{**vars(DONE), "status": status})
    assert answers.relate_compact(done) == COMPACT
    assert answers.relate_verbose(done) == VERBOSE


def test_letters_stay_and_quotes_are_escaped():
    done = SimpleNamespace(**{**vars(DONE), "subject": Entity(JEFF.uid, 'Zoë "Z" 🦊 \\', "person")})
    assert '"n":"Zoë \\"Z\\" 🦊 \\\\"' in answers.relate_compact(done)
    assert json.loads(answers.relate_verbose(done))["fromEntity"]["name"] == 'Zoë "Z" 🦊 \\'


@pytest.mark.parametrize("status", ["removed", "unchanged"])
def test_removed(status):
    done = SimpleNamespace(status=status, relation_uid=DONE.relation_uid)
    assert answers.removed(done) == f'{{"ok":true,"status":"{status}","rel":"550e8400"}}'
    assert json.loads(answers.removed(done, compact=False)) == {
        "success": True,
        "status": status,
        "relationId": DONE.relation_uid,
    }


@pytest.mark.parametrize(
    ("value", "on"),
    [
        (None, True),
        ("true", True),
        ("TRUE", True),
        ("True", True),
        ("false", False),
        ("1", False),
        ("yes", False),
        ("", False),
    ],
)
def test_switches(monkeypatch, value, on):
    monkeypatch.delenv("COMPACT_RESPONSES", raising=False)
    if value is not None:
        monkeypatch.setenv("COMPACT_RESPONSES", value)
    assert switched_on("COMPACT_RESPONSES") is on


INSTANT = pa.timestamp("us", tz="UTC")
ROW = {
    "direction": "outgoing",
    "relation_uid": "r1",
    "version": 7,
    "scope": "project",
    "subject_uid": "s1",
    "subject": "Jeff",
    "subject_type": "person",
    "predicate": "works_at",
    "object_uid": "o1",
    "object": "Acme Corp",
    "object_type": "organization",
    "attributes": '{"id":123456789012345678901234567890,"share":0.10000000000000000001}',
    "valid_from": datetime(2019, 1, 1, tzinfo=UTC),
    "valid_to": None,
    "recorded_at": datetime(2024, 3, 1, 12, 0, 0, 5, tzinfo=UTC),
    "superseded_at": None,
    "status": "live",
    "source_event_uid": None,
}
RELATION = (
    '{"relationUid":"r1","direction":"outgoing","predicate":"works_at",'
    '"subject":{"uid":"s1","name":"Jeff","type":"person"},'
    '"object":{"uid":"o1","name":"Acme Corp","type":"organization"},'
    '"attributes":{"id":123456789012345678901234567890,"share":0.10000000000000000001},'
    '"scope":"project","validFrom":"2019-01-01T00:00:00Z","validTo":null,'
    '"recordedAt":"2024-03-01T12:00:00.000005Z","supersededAt":null,"status":"live",'
    '"sourceEventUid":null,"version":7}'
)


def listing(rows, **changes):
    times = ("valid_from", "valid_to", "recorded_at", "superseded_at")
    kinds = dict.fromkeys(ROW, pa.string()) | dict.fromkeys(times, INSTANT)
    schema = pa.schema(kinds | {"version": pa.int64()})
    return SimpleNamespace(
        **{
            "entity": JEFF,
            "at": datetime(2024, 6, 1, tzinfo=UTC),
            "as_of": None,
            "table": pa.Table.from_pylist(rows, schema=schema),
            "total": len(rows),
            "truncated": False,
            **changes,
        }
    )


ENTITY = '"entity":{"uid":"550e8401-0000-8000-a000-000000000001","name":"Jeff","type":"person"}'


def test_relations_object():
    assert answers.relations_object(listing([ROW])) == (
        f'{{{ENTITY},"at":"2024-06-01T00:00:00Z","asOf":null,'
        f'"relations":[{RELATION}],"total":1,"truncated":false}}'
    )


def test_relations_object_without_rows_and_cut():
    found = listing([], as_of=datetime(2023, 1, 1, tzinfo=UTC), total=9, truncated=True)
    assert answers.relations_object(found) == (
        f'{{{ENTITY},"at":"2024-06-01T00:00:00Z","asOf":"2023-01-01T00:00:00Z",'
        f'"relations":[],"total":9,"truncated":true}}'
    )


def test_no_attributes_are_null():
    found = json.loads(answers.relations_object(listing([ROW | {"attributes": None}])))
    assert found["relations"][0]["attributes"] is None


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        (None, "null"),
        ("{}", "{}"),
        ('{"a":1}', '{"a":1}'),
        ('{"a":' + "9" * 5000 + "}", '{"a":' + "9" * 5000 + "}"),
        ("plain", '"plain"'),
        ("[1]", '"[1]"'),
        ('{"a":', '"{\\"a\\":"'),
    ],
)
def test_attributes_are_spliced_only_when_they_are_an_object(text, encoded):
    assert answers.encode(answers.attributes(text)) == encoded


def report(**changes):
    counts = {"created": 5, "duplicates": 1, "corrected": 1, "removed": 1, "unchanged": 1}
    return SimpleNamespace(
        **{
            "rows": 10,
            **counts,
            "rejected": 1,
            "seconds": 0.5,
            "ignored_columns": ["salary"],
            "skipped": ["old.csv"],
            "type_conflicts": 2,
            "lost_digits": 0,
            **changes,
        }
    )


def test_import_object():
    assert answers.import_object(report(), dry_run=True) == (
        '{"rows":10,"created":5,"duplicates":1,"corrected":1,"removed":1,"unchanged":1,'
        '"rejected":1,"seconds":0.5,"rowsPerSecond":20,"ignoredColumns":["salary"],'
        '"skipped":["old.csv"],"typeConflicts":2,"lostDigits":0,"dryRun":true}'
    )


def test_import_object_of_an_instant():
    assert json.loads(answers.import_object(report(seconds=0.0)))["rowsPerSecond"] is None
