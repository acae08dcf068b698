"""The rules of single cells, a column at a time: names, words and attributes.

A value that is plain (already in its normal form) is known by a vectorised test; every other goes
through the scalar function of `names` or `attributes`, once for each distinct value. Both ways give
the same answer: the plain tests only say "the scalar function would change nothing".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from mazarbul_analytics.cells.text import as_text
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import attributes, names

__all__ = [
    "OPS",
    "Checked",
    "attribute_cells",
    "by_distinct",
    "name_cells",
    "operation",
    "predicate_cells",
    "uid_cells",
    "word_cells",
]

OPS = ("relate", "unrelate", "retract")

# printable ASCII with single spaces inside: NFC, folding and trimming leave it as it is
_PLAIN_NAME = r"^[!-~]+(?: [!-~]+)*$"
# the lengths of a uid and of `entities/{uid}`: these may be references
_UID_LENGTHS = (36, 45)
_PLAIN_UID = r"^(?:entities/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$"
# printable ASCII without capitals, spaces and hyphens
_PLAIN_PREDICATE = r"^[!-,.-@\[-~]+$"
_PLAIN_TYPE = r"^[a-z][a-z0-9_]*$"
_TYPE_LIMIT = 100
_PLAIN_EVENT = r"^[!-~](?:[ -~]*[!-~])?$"
# an object of one key with a simple value has one spelling but for its spaces
_TEXT = r'"[ !#-\[\]-~]*"'
_PLAIN_OBJECT = rf"^\{{ *({_TEXT}) *: *({_TEXT}|0|-?[1-9][0-9]{{0,17}}|true|false|null) *\}}$"


class Checked(NamedTuple):
    """A column's outcome: `values` (one row a cell) and `reason`, None where no cell failed."""

    values: pl.DataFrame
    reason: pl.Series | None


def by_distinct(
    cells: pl.Series,
    todo: pl.Series,
    rule: Callable[[str], Sequence[object]],
    schema: Mapping[str, pl.DataType | type[pl.DataType]],
) -> pl.DataFrame | None:
    """Apply `rule` to each distinct cell of the rows `todo`; one row a cell, nulls elsewhere.

    None when there is nothing to do.
    """
    odd = cells.filter(todo).unique()
    if odd.is_empty():
        return None
    answers = pl.DataFrame([rule(cell) for cell in odd], schema=dict(schema), orient="row")
    keys = cells.to_frame("cell").select(pl.when(todo).then(pl.col("cell")))
    return keys.join(
        answers.with_columns(odd.alias("cell")), on="cell", how="left", maintain_order="left"
    ).drop("cell")


def _checked(
    plain: pl.DataFrame,
    odd: pl.DataFrame | None,
    is_plain: pl.Series,
    missing: pl.Series | None = None,
) -> Checked:
    """Put the two ways together: `plain` where it holds, `odd` elsewhere; then the reasons."""
    reason = None if odd is None else odd["reason"]
    blank = {c: pl.Series(c, [None], dtype=plain.schema[c]) for c in plain.columns}
    if odd is not None:
        values = plain.select(
            pl.when(is_plain).then(pl.col(c)).otherwise(odd[c]).alias(c) for c in plain.columns
        )
    elif is_plain.all():
        values = plain
    else:
        values = plain.select(
            pl.when(is_plain).then(pl.col(c)).otherwise(blank[c]).alias(c) for c in plain.columns
        )
    if missing is not None and missing.any():
        base = pl.Series("reason", [None], dtype=pl.String) if reason is None else reason
        reason = pl.select(
            pl.when(missing).then(pl.lit("missing_value")).otherwise(base).alias("reason")
        ).to_series()
    if reason is not None and reason.null_count() == len(reason):
        reason = None
    return Checked(values, reason)


def _is_missing(cells: pl.Series) -> pl.Series:
    return cells.is_null() | (cells == "").fill_null(value=False)


def _reference(text: str) -> tuple[str | None, str | None, str | None, str | None]:
    try:
        uid, name = names.parse_reference(text)
    except InvalidValue as error:
        return None, None, None, error.reason
    return name, None if name is None else names.name_key(name), uid, None


def _only_name(text: str) -> tuple[str | None, str | None, str | None, str | None]:
    name, key, uid, reason = _reference(text)
    # text of a uid's form is never a name
    return (name, key, None, reason) if uid is None else (None, None, None, "unknown_uid")


def name_cells(cells: pl.Series, *, references: bool = True) -> Checked:
    """Return `name`, `key` and `uid` of each cell; `uid` alone where it is a reference by uid.

    Without `references` a uid is refused (`unknown_uid`), as where an entity is being named.
    """
    cell, length = pl.col("cell"), pl.col("cell").str.len_bytes()
    table = cells.to_frame("cell").with_columns(long=length.is_in(_UID_LENGTHS))
    has_uids = references and bool(table["long"].any())
    table = table.with_columns(
        uid=cell.str.extract(_PLAIN_UID) if has_uids else pl.lit(None, dtype=pl.String)
    ).select(
        "uid",
        plain=pl.col("uid").is_not_null()
        | (cell.str.contains(_PLAIN_NAME) & (length <= names.NAME_LIMIT) & ~pl.col("long")),
        name=pl.when(pl.col("uid").is_null()).then(cell) if has_uids else cell,
        key=pl.when(pl.col("uid").is_null()).then(cell.str.to_lowercase())
        if has_uids
        else cell.str.to_lowercase(),
    )
    is_plain = table["plain"].fill_null(value=False)
    missing = _is_missing(cells)
    rule = _reference if references else _only_name
    odd = by_distinct(
        cells,
        ~(is_plain | missing),
        rule,
        {"name": pl.String, "key": pl.String, "uid": pl.String, "reason": pl.String},
    )
    return _checked(table.select("name", "key", "uid"), odd, is_plain, missing)


def _words(
    cells: pl.Series,
    is_plain: pl.Series,
    rule: Callable[[str], str | None],
    *,
    required: bool = False,
) -> Checked:
    def judge(text: str) -> tuple[str | None, str | None]:
        if not required and not text.strip(names.WHITE_SPACE):
            return None, None
        try:
            return rule(text), None
        except InvalidValue as error:
            return None, error.reason

    if not required and cells.null_count() == len(cells):  # most often: the column is not there
        return Checked(cells.to_frame("value"), None)
    is_plain = is_plain.fill_null(value=False)
    missing = _is_missing(cells)
    odd = by_distinct(
        cells, ~(is_plain | missing), judge, {"value": pl.String, "reason": pl.String}
    )
    return _checked(cells.to_frame("value"), odd, is_plain, missing if required else None)


def predicate_cells(cells: pl.Series) -> Checked:
    """Return the canonical `value` of each predicate; every cell must be given."""
    is_plain = cells.str.contains(_PLAIN_PREDICATE) & (
        cells.str.len_bytes() <= names.PREDICATE_LIMIT
    )
    return _words(cells, is_plain, names.predicate, required=True)


def operation(text: str) -> str:
    """Return one of `relate`, `unrelate`, `retract`, in any case; else InvalidValue (`bad_op`)."""
    found = text.strip(names.WHITE_SPACE).casefold()
    if found not in OPS:
        raise InvalidValue(
            f"The op {names.shown(text)} is unknown: it is one of {', '.join(OPS)}",
            value=text,
            reason="bad_op",
        )
    return found


def word_cells(cells: pl.Series, what: str) -> Checked:
    """Return the `value` of optional cells; `what` is type, scope, op or source_event_uid."""
    if what == "type":
        is_plain = cells.str.contains(_PLAIN_TYPE) & (cells.str.len_bytes() <= _TYPE_LIMIT)
        return _words(cells, is_plain, names.entity_type)
    if what == "scope":
        return _words(cells, cells.is_in(names.SCOPES), names.scope)
    if what == "op":
        return _words(cells, cells.is_in(OPS), operation)
    return _words(cells, cells.str.contains(_PLAIN_EVENT), names.source_event)


def _uid(text: str) -> str:
    uid = names.parse_uid(text)
    if uid is None:
        raise InvalidValue(
            f"{names.shown(text)} is no uid: give a UUID, or none", value=text, reason="unknown_uid"
        )
    return uid


def uid_cells(cells: pl.Series) -> Checked:
    """Return the `value` of optional cells that hold an entity's uid, in lower case."""
    return _words(cells, pl.repeat(value=False, n=len(cells), dtype=pl.Boolean, eager=True), _uid)


def _given(value: object) -> object:
    """Drop the null fields of a struct: a columnar file cannot say that a key is not there."""
    if isinstance(value, dict):
        return {key: _given(item) for key, item in value.items() if item is not None}
    return [_given(item) for item in value] if isinstance(value, list) else value


def _struct(text: str) -> str:
    """Return the attributes that a wrapped struct, or a list of keys and values, stands for."""
    value = json.loads(text)["attributes"]
    if isinstance(value, list):  # a Parquet map
        keys = [entry["key"] for entry in value]
        if len(set(keys)) != len(keys):
            raise InvalidValue("a key is named twice", value=text, reason="bad_attributes")
        value = {entry["key"]: entry["value"] for entry in value}
    return attributes.canonical(_given(value))  # type: ignore[arg-type]


def _is_map(dtype: pl.DataType) -> bool:
    inner = dtype.inner if isinstance(dtype, pl.List) else None
    return isinstance(inner, pl.Struct) and {f.name for f in inner.fields} == {"key", "value"}


def attribute_cells(column: pl.Series) -> Checked:
    """Return the canonical JSON `value` of optional attributes; also of structs and maps."""
    if isinstance(column.dtype, pl.Struct) or _is_map(column.dtype):
        wrapped = column.to_frame("attributes").select(
            pl.when(pl.col("attributes").is_not_null()).then(
                pl.struct("attributes").struct.json_encode()
            )
        )
        cells = wrapped.to_series()
        none = pl.repeat(value=False, n=len(cells), dtype=pl.Boolean, eager=True)
        return _words(cells, none, _struct)
    cells, bad = as_text(column)
    one_key = cells.str.contains(_PLAIN_OBJECT).fill_null(value=False)
    checked = _words(
        cells.str.replace(_PLAIN_OBJECT, "{${1}:${2}}") if one_key.any() else cells,
        one_key,
        attributes.canonical,
    )
    return checked if bad is None else Checked(checked.values, bad)
