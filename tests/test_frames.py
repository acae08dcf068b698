from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mazarbul_analytics.cells import frames, rules
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import attributes, instants, names

UID = "550e8400-e29b-41d4-a716-446655440000"
INSTANT = pl.Datetime("us", "UTC")
SCHEMA = {
    "row": pl.Int64(),
    "subject": pl.String(),
    "subject_key": pl.String(),
    "subject_uid": pl.String(),
    "predicate": pl.String(),
    "object": pl.String(),
    "object_key": pl.String(),
    "object_uid": pl.String(),
    "subject_type": pl.String(),
    "object_type": pl.String(),
    "attributes": pl.String(),
    "valid_from": INSTANT,
    "always": pl.Boolean(),
    "valid_to": INSTANT,
    "scope": pl.String(),
    "source_event_uid": pl.String(),
    "recorded_at": INSTANT,
    "op": pl.String(),
    "column": pl.String(),
    "reason": pl.String(),
    "value": pl.String(),
}


def row(**cells: Any) -> pl.DataFrame:
    """One row, Ann knows Bo, with the cells that a test is about."""
    given_ = {"from": "Ann", "relation": "knows", "to": "Bo"} | cells
    return pl.DataFrame({name: [cell] for name, cell in given_.items()})


def normal(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    return frames.normalize(frame, **options).row(0, named=True)


def test_columns_and_defaults() -> None:
    found = frames.normalize(row())
    assert dict(found.schema) == SCHEMA
    assert found.row(0, named=True) == dict.fromkeys(SCHEMA) | {
        "row": 0,
        "subject": "Ann",
        "subject_key": "ann",
        "predicate": "knows",
        "object": "Bo",
        "object_key": "bo",
        "always": False,
        "scope": "project",
        "op": "relate",
    }
    assert dict(frames.normalize(row().clear()).schema) == SCHEMA
    assert frames.normalize(row().lazy(), scope="Team")["scope"].to_list() == ["team"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"from": " A\u0308nn\t B "}, {"subject": "\u00c4nn B", "subject_key": "\u00e4nn b"}),
        ({"from": UID.upper()}, {"subject": None, "subject_key": None, "subject_uid": UID}),
        ({"to": f" entities/{UID}"}, {"object": None, "object_key": None, "object_uid": UID}),
        ({"from": 7}, {"subject": "7", "subject_key": "7"}),
        ({"from": b"caf\xc3\xa9"}, {"subject": "caf\u00e9"}),
        ({"relation": "Works  At"}, {"predicate": "works_at"}),
        ({"subject_type": "Space Ship"}, {"subject_type": "space_ship"}),
        ({"toEntityType": "person"}, {"object_type": "person"}),
        ({"object_type": " "}, {"object_type": None}),
        ({"attributes": '{"role": "dev"}'}, {"attributes": '{"role":"dev"}'}),
        ({"attributes": '{ "n" : -12 }'}, {"attributes": '{"n":-12}'}),
        ({"attributes": '{"n": 10.0, "a": "x"}'}, {"attributes": '{"a":"x","n":10}'}),
        ({"attributes": "{}"}, {"attributes": "{}"}),
        ({"attributes": ""}, {"attributes": None}),
        ({"attributes": {"role": "dev", "n": None}}, {"attributes": '{"role":"dev"}'}),
        (
            {"attributes": [{"key": "b", "value": 1}, {"key": "a", "value": 2}]},
            {"attributes": '{"a":2,"b":1}'},
        ),
        ({"valid_from": "2024-03-01"}, {"valid_from": datetime(2024, 3, 1, tzinfo=UTC)}),
        ({"valid_from": "-infinity"}, {"valid_from": None, "always": True}),
        ({"valid_from": " "}, {"valid_from": None, "always": False}),
        ({"valid_to": "infinity"}, {"valid_to": None}),
        (
            {"recorded_at": "1969-12-31 23:59:59.999999"},
            {"recorded_at": datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)},
        ),
        ({"valid_from": date(2024, 3, 1)}, {"valid_from": datetime(2024, 3, 1, tzinfo=UTC)}),
        ({"scope": " Team"}, {"scope": "team"}),
        ({"scope": ""}, {"scope": "project"}),
        ({"source_event_uid": " ev 1 "}, {"source_event_uid": "ev 1"}),
        ({"source_event_uid": ""}, {"source_event_uid": None}),
        ({"op": "UNRELATE"}, {"op": "unrelate"}),
        ({"op": ""}, {"op": "relate"}),
        (
            {"op": "retract", "valid_from": "-infinity", "valid_to": "never"},
            {"op": "retract", "valid_from": None, "valid_to": None, "always": False},
        ),
    ],
)
def test_good_rows(cells: dict[str, Any], expected: dict[str, Any]) -> None:
    found = normal(row(**cells))
    assert found["reason"] is None
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("cells", "column", "reason", "value"),
    [
        ({"from": None}, "from", "missing_value", None),
        ({"to": ""}, "to", "missing_value", ""),
        ({"to": "  "}, "to", "empty_name", "  "),
        ({"to": "\u200b"}, "to", "empty_name", "\u200b"),
        ({"from": "a" * 201}, "from", "name_too_long", "a" * 200),
        ({"from": "Ann\0a"}, "from", "bad_character", "Ann\0a"),
        ({"from": b"\xff\xfe"}, "from", "bad_encoding", "fffe"),
        ({"relation": ""}, "relation", "missing_value", ""),
        ({"relation": "\u3000"}, "relation", "empty_relation", "\u3000"),
        ({"relation": "x" * 101}, "relation", "relation_too_long", "x" * 101),
        ({"subject_type": "9"}, "subject_type", "bad_type", "9"),
        ({"object_type": "caf\u00e9"}, "object_type", "bad_type", "caf\u00e9"),
        ({"attributes": "[1]"}, "attributes", "bad_attributes", "[1]"),
        ({"attributes": '{"a":1,"a":1}'}, "attributes", "bad_attributes", '{"a":1,"a":1}'),
        ({"valid_from": 45292}, "valid_from", "bad_instant", "45292"),
        ({"valid_from": "2024-01-01T00:00:60Z"}, "valid_from", "bad_instant", None),
        ({"valid_from": "2023-02-29T00:00:00Z"}, "valid_from", "bad_instant", None),
        ({"valid_to": "2024-01-01T00:00:00+24:00"}, "valid_to", "bad_instant", None),
        ({"recorded_at": "infinity"}, "recorded_at", "bad_instant", "infinity"),
        ({"valid_from": "infinity"}, "valid_from", "empty_period", "infinity"),
        ({"valid_to": "-infinity"}, "valid_to", "empty_period", "-infinity"),
        ({"scope": "all"}, "scope", "unknown_scope", "all"),
        ({"source_event_uid": "e\0"}, "source_event_uid", "bad_character", "e\0"),
        ({"op": "delete"}, "op", "bad_op", "delete"),
        ({"to": " ANN "}, "to", "self_reference", " ANN "),
        ({"from": UID, "to": f"entities/{UID.upper()}"}, "to", "self_reference", None),
        ({"to": "", "attributes": "x", "scope": "x"}, "to", "missing_value", ""),
        ({"to": "ann", "op": "x"}, "op", "bad_op", "x"),
    ],
)
def test_bad_rows(cells: dict[str, Any], column: str, reason: str, value: str | None) -> None:
    found = normal(row(**cells))
    assert (found["column"], found["reason"]) == (column, reason)
    if value is not None or cells.get(column, "") is None:
        assert found["value"] == value


@pytest.mark.parametrize(
    ("start", "stop", "empty"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", True),
        ("2024-01-01T00:00:00Z", "2024-01-01T05:30:00+05:30", True),
        ("2024-01-01T00:00:00.000000Z", "2023-12-31T19:00:00-05:00", True),
        ("2024-01-01", "2024-01-01T00:00:00Z", True),
        ("2024-06-01T00:00:00Z", "2024-01-01T00:00:00Z", True),
        ("infinity", "", True),
        ("-infinity", "-infinity", True),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000001Z", False),
        ("2030-01-01T00:00:00Z", "", False),
        ("-infinity", "infinity", False),
        ("-infinity", "0001-01-01", False),
        ("", "2024-01-01", False),
    ],
)
def test_empty_periods(start: str, stop: str, empty: bool) -> None:
    frame = row(valid_from=start, valid_to=stop)
    found = normal(frame)
    assert (found["reason"] == "empty_period") is empty
    assert found["column"] == ("valid_to" if empty else None)
    assert normal(frame.with_columns(op=pl.lit("unrelate")))["reason"] == found["reason"]
    assert normal(frame.with_columns(op=pl.lit("retract")))["reason"] is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2024-03-09T20:00:00", datetime(2024, 3, 9, 14, 30, tzinfo=UTC)),
        ("2024-03-09", datetime(2024, 3, 8, 18, 30, tzinfo=UTC)),
        (date(2024, 3, 9), datetime(2024, 3, 8, 18, 30, tzinfo=UTC)),
        (datetime(2024, 3, 9, 20), datetime(2024, 3, 9, 14, 30, tzinfo=UTC)),  # noqa: DTZ001
        ("2024-03-09T20:00:00Z", datetime(2024, 3, 9, 20, tzinfo=UTC)),
        (datetime(2024, 3, 9, 20, tzinfo=UTC), datetime(2024, 3, 9, 20, tzinfo=UTC)),
    ],
)
def test_local_times(cell: object, expected: datetime) -> None:
    assert normal(row(valid_from=cell), timezone="Asia/Kolkata")["valid_from"] == expected


def test_local_times_that_are_refused() -> None:
    for cell in ("2024-03-31T02:30:00", datetime(2024, 3, 31, 2, 30)):  # noqa: DTZ001
        found = normal(row(valid_to=cell), timezone="Europe/Berlin")
        assert (found["column"], found["reason"]) == ("valid_to", "nonexistent_local_time")
    found = normal(row(valid_to="2024-10-27 02:30:00"), timezone="Europe/Berlin")
    assert found["reason"] == "ambiguous_local_time"
    assert normal(row(valid_to=date(2024, 9, 8)), timezone="America/Santiago")["reason"] == (
        "nonexistent_local_time"
    )


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_are_floored(unit: Any, zone: str | None) -> None:
    microseconds = [-1_000, -1, 0, 1_234_567]
    scale = {"ms": 1_000, "us": 1, "ns": 1}[unit]
    raw = [m // scale if unit != "ns" else m * 1_000 + 999 for m in microseconds]
    column = pl.Series("valid_from", raw).cast(pl.Datetime(unit, zone))
    frame = pl.DataFrame({"from": ["a"] * 4, "relation": ["b"] * 4, "to": ["c"] * 4, "x": column})
    mapping = {"valid_from": "x"}
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    expected = [epoch + timedelta(microseconds=m // scale * scale) for m in microseconds]
    assert frames.normalize(frame, mapping=mapping)["valid_from"].to_list() == expected
    assert frames.lost_digits(frame, mapping) == (4 if unit == "ns" else 0)
    assert frames.lost_digits(frame) == 0


def test_timestamps_outside_the_calendar_are_refused() -> None:
    for dtype, far in ((pl.Datetime("us", "UTC"), 253_402_300_800_000_000), (pl.Date(), 2_932_897)):
        for raw, reason in ((far, "bad_instant"), (far - 1, None)):
            found = normal(row(valid_from=raw).cast({"valid_from": dtype}))
            assert found["reason"] == reason
    far_ms = row(valid_from=2**62).cast({"valid_from": pl.Datetime("ms", "UTC")})
    assert normal(far_ms.with_columns(op=pl.lit("relate")))["reason"] == "bad_instant"


def test_text_and_parquet_give_the_same_rows() -> None:
    cells: list[dict[str, str | None]] = [
        {"to": "Bo", "valid_to": None, "scope": None, "attributes": None},
        {"to": "Bo", "valid_to": "", "scope": "", "attributes": ""},
        {"to": "Bo", "valid_to": " ", "scope": " ", "attributes": " "},
    ]
    found = [normal(row(**line)) for line in cells]
    assert found[0] == found[1] == found[2]
    assert found[0]["reason"] is None


def test_arguments_that_are_refused() -> None:
    for options, reason in (
        ({"timezone": "Nowhere"}, "bad_timezone"),
        ({"scope": "all"}, "unknown_scope"),
        ({"mapping": {"subject": "nothing"}}, "missing_column"),
    ):
        with pytest.raises(InvalidValue) as caught:
            frames.normalize(row(), **options)
        assert caught.value.reason == reason
    with pytest.raises(InvalidValue, match="one text in a cell"):
        frames.normalize(row(to=["Bo"]))


def test_check() -> None:
    frame = pl.concat([row(), row(to=""), row(to="Cy")])
    good, rejects = frames.check(frames.normalize(frame))
    assert good["row"].to_list() == [0, 2]
    assert good.columns == list(SCHEMA)[:-3]
    assert rejects.rows() == [(1, "to", "missing_value", "")]
    assert rejects.columns == ["row", "column", "reason", "value"]


def test_entities() -> None:
    frame = pl.DataFrame(
        [
            {"id": UID.upper(), "name": "Acme  Corp", "type": "Organization"},
            {"id": f"entities/{UID}", "name": "GRO\u1e9e", "type": ""},
            {"id": "", "name": "Bo", "type": None},
            {"id": "x1", "name": "Bo", "type": None},
            {"id": None, "name": UID, "type": None},
            {"id": None, "name": "", "type": None},
            {"id": None, "name": "Bo", "type": "9"},
        ]
    )
    found = frames.normalize_entities(frame)
    assert found.columns == [
        "row", "entity_uid", "name", "name_key", "type", "column", "reason", "value"
    ]  # fmt: skip
    good, rejects = frames.check(found)
    assert good.rows() == [
        (0, UID, "Acme Corp", "acme corp", "organization"),
        (1, UID, "GRO\u1e9e", "gross", None),
        (2, None, "Bo", "bo", None),
    ]
    assert rejects.rows() == [
        (3, "id", "unknown_uid", "x1"),
        (4, "name", "unknown_uid", UID),
        (5, "name", "missing_value", ""),
        (6, "type", "bad_type", "9"),
    ]


# The scalar functions are the rule; the set-wise way must say the same of every cell.

_odd = st.sampled_from(
    [*"aZ_-~! 09", "  ", "\t", "\u3000", "\x1c", "\0", "\x7f", "\x85", "\u200b", "\u00df", "\u0130",
     "e\u0301", "\U0001f409", "a" * 99, "b" * 100, UID, "entities/", "\n"]
)  # fmt: skip
_names = st.lists(_odd, max_size=4).map("".join) | st.text(max_size=6)
_dates = st.sampled_from(
    ["2024-02-29", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "1969-12-31", "2024-1-1",
     "2024-13-01", "2024-03-31", "2024-10-27", "2024-09-08", "2024-04-07", "1893-04-01"]
)  # fmt: skip
_times = st.sampled_from(
    ["00:00:00", "23:59:59", "24:00:00", "23:59:60", "12:60:00", "02:30:00", "1:00:00", "12:00"]
)
_fractions = st.sampled_from(["", ".5", ".123456", ".1234560", ".1234567", ".", ",5", ".000000000"])
_offsets = st.sampled_from(
    ["", "Z", "z", "+05:30", "-00:00", "+24:00", "+0530", "+02", "-23:59", " Z", "+05:60", "Z\n"]
)
_instants = st.one_of(
    st.builds("{}{}{}{}{}".format, _dates, st.sampled_from("Tt _"), _times, _fractions, _offsets),
    st.builds("{}{}{}".format, st.sampled_from(["", " ", "\u2003"]), _dates, _offsets),
    st.datetimes().map(lambda d: f"{d.isoformat()}Z"),
    st.sampled_from(["infinity", "-infinity", "+Infinity", "", " ", "45292", "x"]),
)
_objects = st.sampled_from(
    ['{"a":1}', '{"a": -0}', '{"a":01}', '{"a" : "b c"}', '{"a":"\\u0061"}', '{"":null}', "{}",
     '{"a":1}\n', '{"b":1,"a":2}', '{"a":1.0}', '{"a":10}', '{"a":"\x7f"}', '{"a":true }', "", " ",
     '{"a":1e5}', '{ "$1":"${2}"}', '{"a":"b"c"}', '{"a":"\t"}', "\u00a0{}", "[]",
     '{"a":123456789012345678}', '{"a":-1234567890123456789}']
)  # fmt: skip


def one_by_one(rule: Any, cell: str | None, *, blank: str | None = None) -> tuple[Any, str | None]:
    """Apply a scalar rule to a cell; white space alone stands for `blank`."""
    if cell is None or not cell.strip(names.WHITE_SPACE):
        cell = blank
    if cell is None:
        return None, None
    try:
        return rule(cell), None
    except InvalidValue as error:
        return None, error.reason


@settings(deadline=None)
@given(st.lists(st.none() | _names, min_size=1, max_size=12))
def test_names_set_wise_and_one_by_one(cells: list[str | None]) -> None:
    column = pl.Series("cell", cells, dtype=pl.String)
    for check, rule in (
        (rules.name_cells, names.parse_reference),
        (rules.predicate_cells, names.predicate),
    ):
        values, reasons = check(column)
        for i, cell in enumerate(cells):
            found = values.row(i)
            reason = None if reasons is None else reasons[i]
            # a cell of white space alone is no name, but it is given
            expected, why = one_by_one(rule, cell, blank=cell or None)
            assert reason == ("missing_value" if not cell else why)
            if why or not cell:
                assert set(found) == {None}
            elif isinstance(expected, str):
                assert found == (expected,)
            else:
                key = None if expected.name is None else names.name_key(expected.name)
                assert found == (expected.name, key, expected.uid)


@settings(deadline=None)
@given(st.lists(st.none() | _names | _objects, min_size=1, max_size=12))
def test_words_set_wise_and_one_by_one(cells: list[str | None]) -> None:
    column = pl.Series("cell", cells, dtype=pl.String)
    for what, rule in (
        ("type", names.entity_type),
        ("scope", names.scope),
        ("op", rules.operation),
        ("source_event_uid", names.source_event),
        ("attributes", attributes.canonical),
    ):
        values, reasons = (
            rules.attribute_cells(column)
            if what == "attributes"
            else rules.word_cells(column, what)
        )
        found = zip(
            values["value"], [None] * len(cells) if reasons is None else reasons, strict=True
        )
        assert list(found) == [one_by_one(rule, cell) for cell in cells]


@settings(deadline=None)
@given(
    st.lists(st.none() | _instants, min_size=1, max_size=12),
    st.sampled_from(["UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe"]),
)
def test_instants_set_wise_and_one_by_one(cells: list[str | None], zone: str) -> None:
    frame = pl.DataFrame(
        {"from": "a", "relation": "b", "to": "c", "recorded_at": cells, "valid_to": cells},
        schema_overrides={"recorded_at": pl.String, "valid_to": pl.String},
    )
    found = frames.normalize(frame.drop("valid_to"), timezone=zone)
    expected = [one_by_one(lambda c: instants.parse(c, timezone=zone), cell) for cell in cells]
    assert list(zip(found["recorded_at"], found["reason"], strict=True)) == expected
    found = frames.normalize(frame.drop("recorded_at"), timezone=zone)
    for cell, stop, reason in zip(cells, found["valid_to"], found["reason"], strict=True):
        bound, why = one_by_one(lambda c: instants.parse_bound(c, timezone=zone), cell)
        if bound is instants.NEGATIVE_INFINITY:
            bound, why = None, "empty_period"
        assert (stop, reason) == (None if bound is instants.POSITIVE_INFINITY else bound, why)
