"""Rows of relays as checked frames: set-wise for columns, record by record for whole records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import polars as pl
import pyarrow as pa

from mazarbul_analytics.cells.instants import INSTANT, instant_cells
from mazarbul_analytics.cells.rules import by_distinct
from mazarbul_analytics.cells.text import as_text, shown_cells
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.sources import SHOWN_VALUE
from mazarbul_analytics.rules import records
from mazarbul_analytics.rules.names import WHITE_SPACE
from mazarbul_analytics.rules.relayids import IdForm

__all__ = ["SCHEMA", "check", "normalize"]

_REFS = pl.List(pl.String)
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.Int64,
    "relay_id": pl.String,
    "record": pl.Binary,
    "sender": pl.String,
    "recipients": pl.String,
    "parent": pl.String,
    "parent_sha256": pl.String,
    "refs": _REFS,
    "kind": pl.String,
    "provenance": pl.String,
    "deposited_by": pl.String,
    "deposited_at": INSTANT,
    "column": pl.String,
    "reason": pl.String,
    "value": pl.String,
}
"""The columns that `normalize` gives; the last three say which rule a row fails first."""

_WORDS = {"sender": "from", "recipients": "to", "kind": "kind"}
_NOTHING = pl.lit(None, dtype=pl.String)
_TOKEN = r"[^\s,;]+"  # noqa: S105 - what separators leave


def normalize(
    frame: pl.DataFrame,
    *,
    mapping: Mapping[str, str],
    form: IdForm,
    timezone: str = "UTC",
) -> pl.DataFrame:
    """Return the relays of a frame, one row each, with the columns of `SCHEMA`.

    `mapping` says which column of the frame is `id`, `record`, `parent`, `parent_sha256`, `refs`,
    `from`, `to`, `kind`, `body`, `deposited_at`. A row with a `record`, or whose `body` begins with
    the line `@p-e/x0`, is a whole record, which alone says what it names; any other is given by its
    columns, and `record` is its body in UTF-8. Instants without an offset are read in `timezone`.

    Reasons: `missing_value`, `bad_id`, `bad_header`, `bad_encoding`, `bad_instant`,
    `ambiguous_local_time`, `nonexistent_local_time`.
    """
    cells = {name: frame[header] for name, header in mapping.items()}
    table = pl.DataFrame({"row": pl.int_range(frame.height, dtype=pl.Int64, eager=True)})
    faults = _Faults(table, mapping)
    table = table.with_columns(_ids(cells["id"], form, faults).alias("relay_id"))
    if "deposited_at" in cells:
        found = instant_cells(cells["deposited_at"], timezone, bound=False)
        faults.add("deposited_at", found.reason, cells["deposited_at"])
        table = table.with_columns(found.values["instant"].alias("deposited_at"))
    bodies: dict[str, pl.Series] = {
        name: _bytes(cells[name]) for name in ("record", "body") if name in cells
    }
    whole = _whole(bodies, frame.height)
    if not whole.any():
        return _by_columns(table, cells, bodies, faults)
    parts = []
    for is_whole in (False, True):
        kept = whole if is_whole else ~whole
        if not kept.any():
            continue
        inner = faults.only(kept)
        rows = table.filter(kept)
        taken = {name: column.filter(kept) for name, column in bodies.items()}
        if is_whole:
            parts.append(_by_record(rows, taken, inner))
        else:
            parts.append(
                _by_columns(rows, {n: c.filter(kept) for n, c in cells.items()}, taken, inner)
            )
    return pl.concat(parts).sort("row")


def check(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the good rows of `normalize`, and `row, column, reason, value` of the others."""
    bad = frame["reason"].is_not_null()
    told = ["row", "column", "reason", "value"]
    return frame.filter(~bad).drop("column", "reason", "value"), frame.filter(bad).select(told)


class _Faults:
    """The first rule that each row fails, gathered in the order of the calls."""

    def __init__(self, rows: pl.DataFrame, mapping: Mapping[str, str]) -> None:
        self.mapping = mapping
        self.found = rows.select("row").with_columns(
            column=_NOTHING, reason=_NOTHING, value=_NOTHING
        )

    def add(self, name: str, reason: pl.Series | None, cells: pl.Series) -> None:
        """Note the reasons of a column's cells (null where a cell is good)."""
        if reason is None or reason.null_count() == len(reason):
            return
        shown = shown_cells(cells).str.slice(0, SHOWN_VALUE).alias("shown")
        fresh = (pl.col("reason").is_null() & pl.col("new").is_not_null()).alias("fresh")
        self.found = (
            self.found.with_columns(reason.alias("new"), shown)
            .with_columns(fresh)
            .select(
                "row",
                column=pl.when("fresh")
                .then(pl.lit(self.mapping.get(name, name)))
                .otherwise("column"),
                value=pl.when("fresh").then("shown").otherwise("value"),
                reason=pl.when("fresh").then("new").otherwise("reason"),
            )
        )

    def only(self, kept: pl.Series) -> _Faults:
        """Return the faults of some rows."""
        part = _Faults(self.found.filter(kept), self.mapping)
        part.found = self.found.filter(kept)
        return part

    def close(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with the columns of `SCHEMA`, nulls where nothing was given."""
        whole = table.with_columns(self.found["column"], self.found["reason"], self.found["value"])
        return whole.select(
            (pl.col(name) if name in whole.columns else pl.lit(None)).cast(kind).alias(name)
            for name, kind in SCHEMA.items()
        )


def _where(mask: pl.Series, reason: str) -> pl.Series | None:
    if not mask.any():
        return None
    return pl.select(pl.when(mask).then(pl.lit(reason))).to_series()


def _ids(column: pl.Series, form: IdForm, faults: _Faults) -> pl.Series:
    cells, unreadable = as_text(column)
    faults.add("id", unreadable, cells)
    missing = cells.is_null() | (cells == "").fill_null(value=False)
    faults.add("id", _where(missing, "missing_value"), cells)
    fits = cells.str.contains(form.pattern).fill_null(value=False)
    faults.add("id", _where(~fits, "bad_id"), cells)
    return cells


def _bytes(column: pl.Series) -> pl.Series:
    """Return cells as bytes: text in UTF-8, bytes as they are."""
    if column.dtype == pl.Binary:
        return column
    return as_text(column)[0].cast(pl.Binary)


def _whole(bodies: Mapping[str, pl.Series], height: int) -> pl.Series:
    """Tell which rows hold a whole record."""
    found = pl.repeat(value=False, n=height, dtype=pl.Boolean, eager=True)
    if "record" in bodies:
        given = bodies["record"].is_not_null() & (bodies["record"].bin.size() > 0)
        found = found | given.fill_null(value=False)
        if "body" not in bodies:  # then there is nothing else that it could be
            return pl.repeat(value=True, n=height, dtype=pl.Boolean, eager=True)
    begins = bodies["body"].bin.starts_with(records.MAGIC).fill_null(value=False)
    if begins.any():
        begins = pl.Series(
            [
                begin and records.is_record(body[:16])
                for begin, body in zip(begins, bodies["body"], strict=True)
            ],
            dtype=pl.Boolean,
        )
    return found | begins


def _by_record(
    table: pl.DataFrame, bodies: Mapping[str, pl.Series], faults: _Faults
) -> pl.DataFrame:
    """Parse whole records one by one."""
    parsed: list[records.Record] = []
    found: list[tuple[str | None, str | None]] = []
    none = pl.repeat(None, table.height, dtype=pl.Binary, eager=True)
    cells = zip(
        table["relay_id"],
        faults.found["reason"],
        bodies.get("record", none),
        bodies.get("body", none),
        strict=True,
    )
    for relay_id, fault, record, body in cells:
        read: records.Record = _NOTHING_SAID
        problem: tuple[str | None, str | None] = _FINE
        if not (record or body):
            problem = ("missing_value", None)
        elif fault is None:
            try:
                read = records.parse(record or body, relay_id)
            except InvalidValue as error:
                problem = (error.reason, str(error).split("\n", 1)[0])
        parsed.append(read)
        found.append(problem)
    columns = dict(zip(records.Record._fields, zip(*parsed, strict=True), strict=True))
    del columns["relay_id"]
    table = table.with_columns(
        _lists(values) if name == "refs" else pl.Series(name, values, dtype=SCHEMA[name])
        for name, values in columns.items()
    )
    problems = pl.DataFrame(found, schema={"reason": pl.String, "value": pl.String}, orient="row")
    name = "record" if "record" in bodies else "body"
    faults.add(name, problems["reason"], problems["value"])
    return faults.close(table)


def _lists(values: Sequence[tuple[str, ...]]) -> pl.Series:
    # by way of Arrow: Polars makes a series of each list first, ten times slower
    return pl.Series("refs", pa.array(values, pa.list_(pa.string())))


_NOTHING_SAID = records.Record(b"")
_FINE: tuple[str | None, str | None] = (None, None)


def _by_columns(
    table: pl.DataFrame,
    cells: Mapping[str, pl.Series],
    bodies: Mapping[str, pl.Series],
    faults: _Faults,
) -> pl.DataFrame:
    columns = {"record": bodies["body"].fill_null(b"")}
    for name, given in {**_WORDS, "parent_sha256": "parent_sha256"}.items():
        if given in cells:
            text, unreadable = as_text(cells[given])
            faults.add(given, unreadable, text)
            words = pl.col("cell").str.strip_chars(WHITE_SPACE)
            nothing = ("", records.NONE) if name == "parent_sha256" else ("",)
            columns[name] = (
                text.to_frame("cell").select(pl.when(~words.is_in(nothing)).then(words)).to_series()
            )
    if "parent" in cells:
        columns["parent"] = _parents(cells["parent"], faults)
    columns["refs"] = _references(cells["refs"], faults) if "refs" in cells else _no_refs(table)
    return faults.close(table.with_columns(c.alias(name) for name, c in columns.items()))


def _no_refs(table: pl.DataFrame) -> pl.Series:
    return pl.Series([[]], dtype=_REFS).new_from_index(0, table.height)


def _parents(column: pl.Series, faults: _Faults) -> pl.Series:
    cells, unreadable = as_text(column)
    faults.add("parent", unreadable, cells)
    odd = cells.str.contains(r"[\s,;]").fill_null(value=False)
    plain = (
        cells.to_frame("cell")
        .select(pl.when(~pl.col("cell").is_in(["", records.NONE])).then("cell"))
        .to_series()
    )

    def judge(text: str) -> tuple[str | None, str | None]:
        if not text.strip(WHITE_SPACE):
            return None, None
        try:
            return records.one_reference(text, "parent"), None
        except InvalidValue as error:
            return None, error.reason

    found = by_distinct(cells, odd, judge, {"parent": pl.String, "reason": pl.String})
    if found is None:
        return plain
    faults.add("parent", found["reason"], cells)
    return plain.zip_with(~odd, found["parent"])


def _references(column: pl.Series, faults: _Faults) -> pl.Series:
    """Return lists of ids, each once and in order; lists come as they are, or as JSON."""
    if column.dtype.is_nested() and isinstance(column.dtype, (pl.List, pl.Array)):
        return _listed(column, faults)
    cells, unreadable = as_text(column)
    faults.add("refs", unreadable, cells)
    tokens = cells.fill_null("").str.extract_all(_TOKEN)
    # a list in JSON, an id named twice, a `none`: these cells go one by one
    sizes = tokens.list.len()
    odd = cells.str.starts_with("[").fill_null(value=False)
    odd = odd | cells.str.contains(rf"(?:^|[\s,;]){records.NONE}(?:$|[\s,;])").fill_null(
        value=False
    )
    odd = odd | ((sizes > 1) & (tokens.list.n_unique() < sizes))
    if not odd.any():
        return tokens

    def judge(text: str) -> tuple[list[str] | None, str | None]:
        try:
            return _parsed_list(text), None
        except InvalidValue as error:
            return None, error.reason

    found = by_distinct(cells, odd, judge, {"refs": _REFS, "reason": pl.String})
    if found is None:  # pragma: no cover - there are odd cells
        return tokens
    faults.add("refs", found["reason"], cells)
    return (
        pl.DataFrame({"odd": odd, "tokens": tokens, "found": found["refs"]})
        .select(pl.when("odd").then("found").otherwise("tokens"))
        .to_series()
    )


def _parsed_list(text: str) -> list[str]:
    if text.startswith("["):
        try:
            items = json.loads(text)
        except ValueError:
            items = None
        if isinstance(items, list):
            return _clean(items)
    return list(records.reference_list(text))


def _clean(items: list[object]) -> list[str]:
    """Return the ids of a list; an item is one id, not several."""
    found: dict[str, None] = {}
    for item in items:
        if item is None or item == "":
            continue
        if not isinstance(item, str):
            raise InvalidValue(f"refs hold {item!r}, not an id", value=item, reason="bad_header")
        token = records.one_reference(item, "refs")
        if token is not None:
            found[token] = None
    return list(found)


def _listed(column: pl.Series, faults: _Faults) -> pl.Series:
    lists: list[list[str] | None] = []
    reasons: list[str | None] = []
    for cell in column.to_list():
        try:
            lists.append(_clean(cell or []))
            reasons.append(None)
        except InvalidValue as error:
            lists.append(None)
            reasons.append(error.reason)
    faults.add("refs", pl.Series(reasons, dtype=pl.String), column)
    return pl.Series(lists, dtype=_REFS)
