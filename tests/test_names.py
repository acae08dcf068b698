from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import names

UID = "550e8400-e29b-41d4-a716-446655440000"
SPACES = [
    *range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
    0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Acme Corp", "Acme Corp"),
        ("  Acme \t\r\n Corp ", "Acme Corp"),
        ("\u2003Ann\u00a0", "Ann"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("007", "007"),
        ("1e5", "1e5"),
        ("NA", "NA"),
        ("null", "null"),
        ("100%_sure", "100%_sure"),
        ("Ann\u200b", "Ann\u200b"),
        ("\ufeffAnn", "\ufeffAnn"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",) * 2,
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467",) * 2,
        ("a" * 200, "a" * 200),
        ("\U0001f409" * 200, "\U0001f409" * 200),
        ("\u00df" * 200, "\u00df" * 200),
        ("e\u0301" * 200, "\u00e9" * 200),
        (" " + "a b" + "  " * 300, "a b"),
    ],
)
def test_normal_name(text: str, expected: str) -> None:
    assert names.normal_name(text) == expected
    assert names.normal_name(expected) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty_name"),
        (" \t\u3000", "empty_name"),
        ("\u200b", "empty_name"),
        (" \ufeff \u200f", "empty_name"),
        ("\u200d", "empty_name"),
        ("a" * 201, "name_too_long"),
        ("\U0001f409" * 201, "name_too_long"),
        ("e\u0301" * 201, "name_too_long"),
        ("Ann\0a", "bad_character"),
        ("\0", "bad_character"),
        ("a\x1cb", "bad_character"),
        ("a\x1f", "bad_character"),
        ("a\x7fb", "bad_character"),
        ("a\x9fb", "bad_character"),
        ("a\ud800", "bad_character"),
        (None, "missing_value"),
        (7, "bad_value"),
    ],
)
def test_refused_names(text: str, reason: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        names.normal_name(text)
    assert caught.value.reason == reason
    assert caught.value.value == text
    assert len(str(caught.value).splitlines()) == 1


def test_white_space_is_the_unicode_property() -> None:
    assert [ord(c) for c in names.WHITE_SPACE] == SPACES
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        # nothing else is a separator in Unicode's own table
        if unicodedata.category(character) in {"Zs", "Zl", "Zp"}:
            assert code in SPACES
    for code in SPACES:
        assert names.normal_name(f"a{chr(code)}b") == "a b"


@pytest.mark.parametrize(
    "group",
    [
        ["STRASSE", "stra\u00dfe", "STRA\u1e9eE"],
        ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3"],
        ["Istanbul", "istanbul", "ISTANBUL"],
        ["\u0130stanbul", "i\u0307stanbul"],
        ["\u0131stanbul"],
        ["\u01c4", "\u01c5", "\u01c6"],
        ["Caf\u00e9", "CAFE\u0301"],
        ["Acme Corp", "ACME corp"],
    ],
)
def test_name_key(group: list[str]) -> None:
    keys = {names.name_key(name) for name in group}
    assert len(keys) == 1
    others = {"istanbul", "\u0131stanbul", "i\u0307stanbul"} - keys
    assert not {names.name_key(other) for other in others} & keys


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("works_at", "works_at"),
        ("  Works At ", "works_at"),
        ("works-at", "works_at"),
        ("Works \t- at", "works_at"),
        ("works__at", "works__at"),
        ("GRO\u1e9e", "gross"),
        ("-", "_"),
        ("a\u200bb", "a\u200bb"),
        ("x" * 100, "x" * 100),
        ("\u00df" * 100, "ss" * 100),
    ],
)
def test_predicate(text: str, expected: str) -> None:
    assert names.predicate(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty_relation"),
        (" ", "empty_relation"),
        ("\u200b\ufeff", "empty_relation"),
        ("x" * 101, "relation_too_long"),
        ("a-" * 51, "relation_too_long"),
        ("a\0", "bad_character"),
        (None, "missing_value"),
    ],
)
def test_refused_predicates(text: str, reason: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        names.predicate(text)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("person", "person"),
        (" Person ", "person"),
        ("Space Ship", "space_ship"),
        ("space-ship", "space_ship"),
        ("a" * 100, "a" * 100),
        ("x9_", "x9_"),
    ],
)
def test_entity_type(text: str, expected: str) -> None:
    assert names.entity_type(text) == expected


@pytest.mark.parametrize("text", ["", " ", "9x", "_x", "a" * 101, "caf\u00e9", "a.b", "a\nb\0"])
def test_refused_types(text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        names.entity_type(text)
    assert caught.value.reason == "bad_type"


def test_implied_types() -> None:
    assert names.implied_types("works_at") == ("person", "organization")
    assert names.implied_types("knows") == ("person", "person")
    assert names.implied_types("created") == (None, "project")
    assert names.implied_types("uses") == ("project", None)
    assert names.implied_types("else") == (None, None)
    for name, types in names.IMPLIED.items():
        assert names.predicate(name) == name
        assert set(types) <= {None, *names.KNOWN_TYPES}


def test_scope() -> None:
    assert [names.scope(s) for s in ("project", " Personal", "TEAM")] == list(names.SCOPES)
    for text in ("", "projects", "all"):
        with pytest.raises(InvalidValue, match="project, personal, team") as caught:
            names.scope(text)
        assert caught.value.reason == "unknown_scope"


def test_source_event() -> None:
    assert names.source_event(" ev-1 ") == "ev-1"
    assert names.source_event("\u00e9v  1") == "\u00e9v  1"
    assert names.source_event(None) is None
    assert names.source_event(" ") is None
    with pytest.raises(InvalidValue) as caught:
        names.source_event("a\0b")
    assert caught.value.reason == "bad_character"


@pytest.mark.parametrize(
    ("text", "uid", "name"),
    [
        (UID, UID, None),
        (UID.upper(), UID, None),
        (f" {UID}\n", UID, None),
        (f"entities/{UID}", UID, None),
        (f"ENTITIES/{UID.upper()}", UID, None),
        (f"entities/{UID}x", None, f"entities/{UID}x"),
        (f"{{{UID}}}", None, f"{{{UID}}}"),
        (UID.replace("-", ""), None, UID.replace("-", "")),
        ("entities/jeff", None, "entities/jeff"),
        (f"entitie\u017f/{UID}", None, f"entitie\u017f/{UID}"),
        (" Jeff ", None, "Jeff"),
    ],
)
def test_parse_reference(text: str, uid: str | None, name: str | None) -> None:
    assert names.parse_reference(text) == (uid, name)


def test_uids_are_fixed_for_ever() -> None:
    assert names.entity_uid("jeff") == "4e81f329-4805-8e02-ab0f-a6b0ca88a015"
    assert names.relation_uid("project", "a", "b", "c") == "086ccaea-aaf8-8926-a5e5-c0a17ca63a49"
    form = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}")
    for key in ("", "\u00e9", "x" * 200):
        assert form.fullmatch(names.entity_uid(key))
        assert names.parse_uid(names.entity_uid(key)) == names.entity_uid(key)


def test_escape_invisible() -> None:
    assert names.escape_invisible("A\u200bnn\ufeff\u200f\u202e") == r"A\u200bnn\ufeff\u200f\u202e"
    untouched = "\u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f469 plain"
    assert names.escape_invisible(untouched) == untouched
