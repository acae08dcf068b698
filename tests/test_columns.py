"""Which header means which column."""

from __future__ import annotations

import pytest

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.columns import ALIASES, normal_header, resolve


@pytest.mark.parametrize(
    ("kind", "headers", "columns", "ignored"),
    [
        (
            "relations",
            ["from", "relation", "to"],
            {"subject": "from", "predicate": "relation", "object": "to"},
            [],
        ),
        (
            "relations",
            ["Target", "REL", "source", "notes"],
            {"subject": "source", "predicate": "REL", "object": "Target"},
            ["notes"],
        ),
        (
            "relations",
            ["fromEntity", "type", "to-entity", "From Entity Type", "TOENTITYTYPE"],
            {
                "subject": "fromEntity",
                "predicate": "type",
                "object": "to-entity",
                "subject_type": "From Entity Type",
                "object_type": "TOENTITYTYPE",
            },
            [],
        ),
        (
            "relations",
            ["Subject", "Predicate", "Object", "validFrom", "valid to", "SCOPE", "op"],
            {
                "subject": "Subject",
                "predicate": "Predicate",
                "object": "Object",
                "valid_from": "validFrom",
                "valid_to": "valid to",
                "scope": "SCOPE",
                "op": "op",
            },
            [],
        ),
        (
            "relations",
            ["from", "predicate", "to", "attributes", "source-event-uid", "Recorded_At"],
            {
                "subject": "from",
                "predicate": "predicate",
                "object": "to",
                "attributes": "attributes",
                "source_event_uid": "source-event-uid",
                "recorded_at": "Recorded_At",
            },
            [],
        ),
        ("entities", ["UID", "name"], {"entity_uid": "UID", "name": "name"}, []),
        (
            "entities",
            ["id", "Name", "Type", "x"],
            {"entity_uid": "id", "name": "Name", "type": "Type"},
            ["x"],
        ),
        ("relays", ["id", "bytes"], {"id": "id", "record": "bytes"}, []),
        (
            "relays",
            ["id", "parent", "parent-sha256", "refs", "from", "to", "kind", "body"],
            {
                "id": "id",
                "parent": "parent",
                "parent_sha256": "parent-sha256",
                "refs": "refs",
                "from": "from",
                "to": "to",
                "kind": "kind",
                "body": "body",
            },
            [],
        ),
    ],
)
def test_aliases(
    kind: str, headers: list[str], columns: dict[str, str], ignored: list[str]
) -> None:
    found = resolve(headers, None, kind)
    assert found.columns == columns
    assert found.ignored == ignored


@pytest.mark.parametrize(
    ("headers", "mapping", "columns", "ignored"),
    [
        (
            ["Employee Name", "from", "rel", "to"],
            {"subject": "Employee Name"},
            {"subject": "Employee Name", "predicate": "rel", "object": "to"},
            ["from"],
        ),
        (
            ["from", "relation", "type", "to"],
            {"predicate": "RELATION"},
            {"subject": "from", "predicate": "relation", "object": "to"},
            ["type"],
        ),
        (
            ["from", "relation", "type", "to"],
            {"object-type": "type"},
            {"subject": "from", "predicate": "relation", "object": "to", "object_type": "type"},
            [],
        ),
        (
            ["who", "rel", "to", "day"],
            {"from": "who", "valid_from": "day", "recorded_at": "day"},
            {
                "subject": "who",
                "predicate": "rel",
                "object": "to",
                "valid_from": "day",
                "recorded_at": "day",
            },
            [],
        ),
    ],
)
def test_mapping_wins(
    headers: list[str], mapping: dict[str, str], columns: dict[str, str], ignored: list[str]
) -> None:
    found = resolve(headers, mapping)
    assert found.columns == columns
    assert found.ignored == ignored


@pytest.mark.parametrize(
    ("headers", "mapping", "reason", "words"),
    [
        (["From", "from", "rel", "to"], {}, "duplicate_column", ["'From'", "'from'"]),
        (["from", "rel", "to", "my note", "My_Note"], {}, "duplicate_column", ["'my note'"]),
        (["from", "source", "rel", "to"], {}, "duplicate_column", ["'from'", "'source'"]),
        (["from", "to"], {}, "missing_column", ["'predicate'", "'from', 'to'", "rel"]),
        ([], {}, "missing_column", ["no columns"]),
        (["x\ufefffrom", "rel", "to"], {}, "missing_column", ["'subject'", "U+FEFF"]),
        (["# made by clerk 7"], {}, "missing_column", ["starts with '#'"]),
        (["from", "rel", "to"], {"who": "from"}, "unknown_column", ["'who'", "subject"]),
        (["from", "rel", "to"], {"subject": "whom"}, "missing_column", ["'whom'", "'from'"]),
        (
            ["from", "rel", "to", "x"],
            {"subject": "from", "From": "x"},
            "duplicate_column",
            ["twice"],
        ),
    ],
)
def test_what_cannot_be_told(
    headers: list[str], mapping: dict[str, str], reason: str, words: list[str]
) -> None:
    with pytest.raises(InvalidValue) as caught:
        resolve(headers, mapping)
    assert caught.value.reason == reason
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "headers", "missing"),
    [
        ("entities", ["uid", "type"], "'name'"),
        ("relays", ["record"], "'id'"),
        ("relays", ["id", "parent"], "'record' or 'body'"),
    ],
)
def test_what_each_kind_needs(kind: str, headers: list[str], missing: str) -> None:
    with pytest.raises(InvalidValue, match=f"required column {missing}"):
        resolve(headers, None, kind)


def test_no_spelling_means_two_columns() -> None:
    for aliases in ALIASES.values():
        spellings = [
            normal_header(s) for canonical, more in aliases.items() for s in (canonical, *more)
        ]
        assert len(set(spellings)) == len(spellings)
