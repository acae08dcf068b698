"""Arrow schemas: the only place that knows the columns of the tables and of the answers.

Instants are `timestamp[us, tz=UTC]`. Periods are half-open: `valid_from` is in, `valid_to` is out.
"""

from __future__ import annotations

import pyarrow as pa

__all__ = ["JSON_COLUMNS", "RESULTS", "TABLES", "duckdb_type", "empty", "shaped"]

INSTANT = pa.timestamp("us", tz="UTC")
TEXT = pa.string()
WHOLE = pa.int64()
TEXTS = pa.list_(pa.field("element", TEXT))
FLAG = pa.bool_()


def _schema(*columns: tuple[str, pa.DataType] | tuple[str, pa.DataType, bool]) -> pa.Schema:
    """Return a schema; the third part of a column says whether it may be null."""
    return pa.schema([pa.field(name, kind, *may_be_null) for name, kind, *may_be_null in columns])


TABLES: dict[str, pa.Schema] = {
    "entities": _schema(
        ("entity_uid", TEXT),
        ("name", TEXT),
        ("name_key", TEXT),
        ("type", TEXT),
        ("recorded_at", INSTANT),
        ("import_uid", TEXT),
    ),
    "relations": _schema(
        ("version", WHOLE),
        ("relation_uid", TEXT),
        ("scope", TEXT),
        ("subject_uid", TEXT),
        ("predicate", TEXT),
        ("object_uid", TEXT),
        ("attributes", TEXT),
        ("valid_from", INSTANT),
        ("valid_to", INSTANT),
        ("recorded_at", INSTANT),
        ("supersedes", pa.list_(pa.field("element", WHOLE))),
        ("superseded_at", INSTANT),
        ("removal", TEXT),
        ("source_event_uid", TEXT),
        ("import_uid", TEXT),
    ),
    "relays": _schema(
        ("relay_id", TEXT),
        ("record", pa.binary()),
        ("sha256", TEXT),
        ("sender", TEXT),
        ("recipients", TEXT),
        ("parent", TEXT),
        ("parent_sha256", TEXT),
        ("refs", pa.list_(pa.field("element", TEXT))),
        ("kind", TEXT),
        ("provenance", TEXT),
        ("deposited_by", TEXT),
        ("deposited_at", INSTANT),
        ("import_uid", TEXT),
    ),
    "imports": _schema(
        ("import_uid", TEXT),
        ("call_uid", TEXT),
        ("kind", TEXT),
        ("file", TEXT),
        ("sha256", TEXT),
        ("bytes", WHOLE),
        ("options", TEXT),
        ("rows", WHOLE),
        ("created", WHOLE),
        ("corrected", WHOLE),
        ("duplicates", WHOLE),
        ("removed", WHOLE),
        ("unchanged", WHOLE),
        ("rejected", WHOLE),
        ("started_at", INSTANT),
        ("recorded_at", INSTANT),
        ("tool_version", TEXT),
    ),
}
"""The tables of a store by name. All columns may be null on disk; what must be set is checked."""

JSON_COLUMNS = frozenset({"attributes", "options", "table_versions"})
"""Text columns that hold one JSON value; `table_versions` is one of a publish."""

_VERSION = (
    ("relation_uid", TEXT, False),
    ("version", WHOLE, False),
    ("scope", TEXT, False),
    ("subject_uid", TEXT, False),
    ("subject", TEXT, False),
    ("subject_type", TEXT, False),
    ("predicate", TEXT, False),
    ("object_uid", TEXT, False),
    ("object", TEXT, False),
    ("object_type", TEXT, False),
    ("attributes", TEXT),
    ("valid_from", INSTANT),
    ("valid_to", INSTANT),
    ("recorded_at", INSTANT, False),
    ("superseded_at", INSTANT),
    ("status", TEXT, False),
    ("source_event_uid", TEXT),
)

RESULTS: dict[str, pa.Schema] = {
    "relations": _schema(("direction", TEXT, False), *_VERSION),
    "history": _schema(*_VERSION),
    "entities": _schema(
        ("entity_uid", TEXT, False),
        ("name", TEXT, False),
        ("type", TEXT, False),
        ("recorded_at", INSTANT, False),
    ),
    "neighbors": _schema(
        ("entity_uid", TEXT, False),
        ("entity", TEXT, False),
        ("entity_type", TEXT, False),
        ("distance", WHOLE, False),
        ("path", TEXTS, False),
        ("path_uids", TEXTS, False),
        ("relation_uids", TEXTS, False),
    ),
    "changes": _schema(
        ("change", TEXT, False),
        ("relation_uid", TEXT, False),
        ("scope", TEXT, False),
        ("subject_uid", TEXT, False),
        ("subject", TEXT, False),
        ("predicate", TEXT, False),
        ("object_uid", TEXT, False),
        ("object", TEXT, False),
        ("valid_from", INSTANT),
        ("valid_to", INSTANT),
        ("known_before", FLAG, False),
        ("known_after", FLAG, False),
        ("attributes_before", TEXT),
        ("attributes_after", TEXT),
        ("version_before", WHOLE),
        ("version_after", WHOLE),
        ("recorded_at", INSTANT, False),
        ("source_event_uid", TEXT),
    ),
    "activity": _schema(("at", INSTANT, False), ("predicate", TEXT, False), ("live", WHOLE, False)),
    "point_in_time": _schema(
        ("probe_status", TEXT, False),
        ("relation_uid", TEXT),
        ("version", WHOLE),
        ("scope", TEXT),
        ("subject_uid", TEXT),
        ("subject", TEXT),
        ("predicate", TEXT),
        ("object_uid", TEXT),
        ("object", TEXT),
        ("object_type", TEXT),
        ("attributes", TEXT),
        ("valid_from", INSTANT),
        ("valid_to", INSTANT),
        ("recorded_at", INSTANT),
        ("source_event_uid", TEXT),
    ),
    "rejects": _schema(
        ("file", TEXT, False),
        ("line", WHOLE, False),
        ("column", TEXT),
        ("reason", TEXT, False),
        ("value", TEXT),
    ),
    "relay_list": _schema(("relay_id", TEXT, False), ("state", TEXT, False)),
    "replies": _schema(
        ("relay_id", TEXT, False),
        ("via", TEXT, False),
        ("kind", TEXT),
        ("sender", TEXT),
        ("deposited_at", INSTANT, False),
    ),
    "known_missing": _schema(
        ("relay_id", TEXT, False),
        ("named_by", pa.list_(pa.field("element", TEXT)), False),
        ("first_named_at", INSTANT, False),
        ("age_seconds", WHOLE, False),
        ("previous_present", TEXT),
        ("next_present", TEXT),
        ("issued_after", INSTANT),
        ("issued_before", INSTANT),
        ("is_new", pa.bool_(), False),
    ),
    "closed": _schema(
        ("relay_id", TEXT, False),
        ("first_named_at", INSTANT),
        ("deposited_at", INSTANT, False),
    ),
    "late": _schema(
        ("relay_id", TEXT, False),
        ("first_named_at", INSTANT, False),
        ("deposited_at", INSTANT, False),
        ("delay_seconds", WHOLE, False),
    ),
    "holes": _schema(("first", TEXT, False), ("last", TEXT, False), ("count", WHOLE, False)),
    "continuity": _schema(
        ("relay_id", TEXT, False),
        ("parent", TEXT),
        ("continuity", TEXT, False),
        ("claimed", TEXT, False),
        ("held", TEXT),
    ),
    "timeline": _schema(
        ("at", INSTANT, False), ("present", WHOLE, False), ("known_missing", WHOLE, False)
    ),
    "check": _schema(("severity", TEXT, False), ("subject", TEXT, False), ("finding", TEXT, False)),
}
"""What the reading calls return, by call: names, types, and which columns are never null."""

_DUCKDB_TYPES = {
    TEXT: "VARCHAR",
    WHOLE: "BIGINT",
    INSTANT: "TIMESTAMP WITH TIME ZONE",
    pa.binary(): "BLOB",
}


def duckdb_type(field: pa.Field) -> str:
    """Return the DuckDB type of a column of `TABLES`."""
    if pa.types.is_list(field.type):
        return f"{_DUCKDB_TYPES[field.type.value_type]}[]"
    return _DUCKDB_TYPES[field.type]


def empty(name: str) -> pa.Table:
    """Return the empty answer of a call of `RESULTS`."""
    return RESULTS[name].empty_table()


def shaped(table: pa.Table, name: str) -> pa.Table:
    """Return an answer of the engine with the columns, order and types of a call of `RESULTS`."""
    wanted = RESULTS[name]
    return table.select(wanted.names).cast(wanted)
