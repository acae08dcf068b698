"""Rows of an import as Polars frames: every column in its normal form, every bad row with a reason.

Public and free of any store, so that a notebook can see what an import would say of a frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from mazarbul_analytics.cells.instants import INSTANT, instant_cells
from mazarbul_analytics.cells.instants import lost_digits as _lost_digits
from mazarbul_analytics.cells.rules import (
    Checked,
    attribute_cells,
    name_cells,
    predicate_cells,
    uid_cells,
    word_cells,
)
from mazarbul_analytics.cells.text import as_text, shown_cells
from mazarbul_analytics.rules import instants, names
from mazarbul_analytics.rules.columns import resolve

__all__ = ["check", "lost_digits", "normalize", "normalize_entities"]

_VALUE_LIMIT = 200
_INSTANTS = ("valid_from", "valid_to", "recorded_at")


@dataclass
class _Table:
    """The columns of a frame under their canonical names, and what was found wrong in them."""

    frame: pl.DataFrame
    headers: Mapping[str, str]
    found: list[tuple[str, pl.Series, pl.Series]] = field(default_factory=list)

    def column(self, name: str) -> pl.Series:
        """Return a column as it came, all null where the frame has none."""
        if name in self.headers:
            return self.frame[self.headers[name]]
        return pl.repeat(None, self.frame.height, dtype=pl.String, eager=True).alias(name)

    def text(self, name: str) -> pl.Series:
        """Return a column as text; cells that are no text are noted as `bad_encoding`."""
        cells, bad = as_text(self.column(name))
        if bad is not None:
            self.refuse(name, bad, cells)
        return cells

    def refuse(self, name: str, reason: pl.Series | None, value: pl.Series | None = None) -> None:
        """Note the reasons (null where good) of a column; the first one noted for a row counts."""
        if reason is not None:
            cells = shown_cells(self.column(name)) if value is None else value
            self.found.append((self.headers.get(name, name), reason, cells))

    def keep(self, name: str, checked: Checked) -> pl.DataFrame:
        """Note what a rule refused in a column and return its values."""
        self.refuse(name, checked.reason)
        return checked.values

    def verdict(self) -> pl.DataFrame:
        """Return `column`, `reason` and `value` of the first failing rule of each row."""
        none = pl.lit(None, dtype=pl.String)
        column, reason, value = none, none, none
        for header, reasons, cells in reversed(self.found):
            failed = reasons.is_not_null()
            column = pl.when(failed).then(pl.lit(header)).otherwise(column)
            reason = pl.when(failed).then(reasons).otherwise(reason)
            value = pl.when(failed).then(cells.str.slice(0, _VALUE_LIMIT)).otherwise(value)
        rows = pl.int_range(self.frame.height, eager=True).to_frame("row")
        return rows.with_columns(column=column, reason=reason, value=value)


def _open(
    frame: pl.DataFrame | pl.LazyFrame, mapping: Mapping[str, str] | None, kind: str
) -> _Table:
    headers = resolve(frame.collect_schema().names(), mapping, kind).columns
    chosen = frame.lazy().select(list(headers.values())).collect()
    return _Table(chosen, headers)


def _period(
    table: _Table, timezone: str, ignored: pl.Series | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the bounds of each row; rows that are `ignored` have none, and nothing to refuse."""
    bounds = []
    for name in ("valid_from", "valid_to"):
        values, reason = instant_cells(table.column(name), timezone, bound=True)
        if ignored is not None:
            values = values.select(
                pl.when(~ignored).then("instant").alias("instant"),
                pl.when(~ignored).then("open").otherwise(pl.lit(0, dtype=pl.Int8)).alias("open"),
            )
            if reason is not None:
                reason = reason.zip_with(~ignored, pl.Series([None], dtype=pl.String))
        table.refuse(name, reason)
        bounds.append(values)
    start, stop = bounds
    empty = (
        (stop["instant"] <= start["instant"]).fill_null(value=False)
        | (start["open"] == 1)
        | (stop["open"] == -1)
    )
    _mark(table, "valid_to" if "valid_to" in table.headers else "valid_from", empty, "empty_period")
    return start, stop


def _mark(table: _Table, name: str, failed: pl.Series, reason: str) -> None:
    if failed.any():
        table.refuse(name, pl.select(pl.when(failed).then(pl.lit(reason))).to_series())


def normalize(
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    mapping: Mapping[str, str] | None = None,
    timezone: str = "UTC",
    scope: str = "project",
) -> pl.DataFrame:
    """Bring the rows of a frame of relations into their normal form, and say which ones fail.

    Columns are found by name as in an import (`from` or `subject`, …); `mapping` names others, like
    `{"subject": "Employee Name"}`. Times without an offset and bare dates are local to `timezone`.
    `scope` is that of rows which give none.

    Returns one row per row, in order: `row` (from 0), `subject`, `subject_key`, `subject_uid`,
    `predicate`, `object`, `object_key`, `object_uid`, `subject_type`, `object_type`, `attributes`
    (canonical JSON), `valid_from` (included), `always` (true where `valid_from` is -infinity),
    `valid_to` (excluded; null is open), `scope`, `source_event_uid`, `recorded_at`, `op`, and
    `column`, `reason`, `value` of the first rule that failed (null where the row is good). A name
    has a key and no uid, a reference by uid a uid and neither name nor key. Instants are UTC with
    microseconds. Of a `retract` the period is not read.

    Raises InvalidValue if a required column is missing, two mean the same, or `timezone` or `scope`
    is unknown.
    """
    scope = names.scope(scope)
    instants.zone(timezone)
    table = _open(frame, mapping, "relations")

    subject = table.keep("subject", name_cells(table.text("subject")))
    predicate = table.keep("predicate", predicate_cells(table.text("predicate")))
    target = table.keep("object", name_cells(table.text("object")))
    subject_type = table.keep("subject_type", word_cells(table.text("subject_type"), "type"))
    object_type = table.keep("object_type", word_cells(table.text("object_type"), "type"))
    attributes = table.keep("attributes", attribute_cells(table.column("attributes")))

    op = word_cells(table.text("op"), "op")
    operation = op.values["value"].fill_null("relate")
    retracted = (op.values["value"] == "retract").fill_null(value=False)
    start, stop = _period(table, timezone, retracted if retracted.any() else None)

    scopes = table.keep("scope", word_cells(table.text("scope"), "scope"))
    event = table.keep(
        "source_event_uid", word_cells(table.text("source_event_uid"), "source_event_uid")
    )
    recorded = table.keep(
        "recorded_at", instant_cells(table.column("recorded_at"), timezone, bound=False)
    )
    table.keep("op", op)
    same = (subject["key"] == target["key"]).fill_null(value=False) | (
        subject["uid"] == target["uid"]
    ).fill_null(value=False)
    _mark(table, "object", same, "self_reference")

    verdict = table.verdict()
    return pl.DataFrame(
        {
            "row": pl.int_range(table.frame.height, dtype=pl.Int64, eager=True),
            "subject": subject["name"],
            "subject_key": subject["key"],
            "subject_uid": subject["uid"],
            "predicate": predicate["value"],
            "object": target["name"],
            "object_key": target["key"],
            "object_uid": target["uid"],
            "subject_type": subject_type["value"],
            "object_type": object_type["value"],
            "attributes": attributes["value"],
            "valid_from": start["instant"],
            "always": start["open"] == -1,
            "valid_to": stop["instant"],
            "scope": scopes["value"].fill_null(scope),
            "source_event_uid": event["value"],
            "recorded_at": recorded["instant"].cast(INSTANT),
            "op": operation,
            "column": verdict["column"],
            "reason": verdict["reason"],
            "value": verdict["value"],
        }
    )


def normalize_entities(
    frame: pl.DataFrame | pl.LazyFrame, *, mapping: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """Bring the rows of a frame of entities into their normal form, and say which ones fail.

    Returns one row per row, in order: `row` (from 0), `entity_uid` (lower case; null where not
    given), `name`, `name_key`, `type` (null where not given), and `column`, `reason`, `value` of
    the first rule that failed. A uid that is no UUID, and a name that has the form of one, is
    `unknown_uid`.
    """
    table = _open(frame, mapping, "entities")
    uid = table.keep("entity_uid", uid_cells(table.text("entity_uid")))
    name = table.keep("name", name_cells(table.text("name"), references=False))
    kind = table.keep("type", word_cells(table.text("type"), "type"))
    verdict = table.verdict()
    return pl.DataFrame(
        {
            "row": pl.int_range(table.frame.height, dtype=pl.Int64, eager=True),
            "entity_uid": uid["value"],
            "name": name["name"],
            "name_key": name["key"],
            "type": kind["value"],
            "column": verdict["column"],
            "reason": verdict["reason"],
            "value": verdict["value"],
        }
    )


def check(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split a normalised frame into its good rows and its rejects.

    The good rows come without `column`, `reason` and `value`; the rejects are `row`, `column`,
    `reason`, `value`.
    """
    bad = frame["reason"].is_not_null()
    return (
        frame.filter(~bad).drop("column", "reason", "value"),
        frame.filter(bad).select("row", "column", "reason", "value"),
    )


def lost_digits(
    frame: pl.DataFrame | pl.LazyFrame, mapping: Mapping[str, str] | None = None
) -> int:
    """Count the instants of a frame of relations that lost digits beyond microseconds."""
    table = _open(frame, mapping, "relations")
    return sum(_lost_digits(table.column(name)) for name in _INSTANTS)
