"""Probes joined to the ledger: for each, the relations live at its instant, as known then.

The engine sees a probe's number, entity and instants alone; the probes' own columns never pass
through it, so that they come out as they went in.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.cells.instants import instant_cells
from mazarbul_analytics.cells.rules import name_cells
from mazarbul_analytics.cells.text import as_text
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files import probes as probe_files
from mazarbul_analytics.ledger.relations import filters_of
from mazarbul_analytics.rules import instants

__all__ = ["DIRECTIONS", "point_in_time"]

DIRECTIONS = ("outgoing", "incoming")

_VERSION_BITS, _START_BITS = 36, 60
"""Room in the key of the order for versions, and for microseconds from the year 1 to 9999."""


def point_in_time(
    connection: Connection,
    probes: Any,  # noqa: ANN401 - any tabular thing
    *,
    entity: str,
    at: str,
    as_of: str | None,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
    exclusive: bool,
    direction: str,
    timezone: str,
) -> Any:  # noqa: ANN401 - Polars for Polars, else Arrow
    """Return the probes with what was live for each; the caller documents it."""
    if direction not in DIRECTIONS:
        raise InvalidValue(
            f"direction is one of {', '.join(DIRECTIONS)}: {direction!r}", value=direction
        )
    if exclusive and direction != "outgoing":
        raise InvalidValue(
            "exclusive looks at an entity's outgoing relations: one object for each subject",
            value=direction,
        )
    filters = filters_of(predicates, scopes)
    instants.zone(timezone)
    own = _table(probes)
    names = own.columns if isinstance(own, pl.DataFrame) else own.column_names
    for column in (entity, at, *([] if as_of is None else [as_of])):
        if column not in names:
            raise InvalidValue(
                f"the probes have no column {column!r}\nTheir columns: {', '.join(names)}",
                value=column,
            )
    cells = _resolved(
        connection,
        _series(own, entity),
        _series(own, at),
        None if as_of is None else _series(own, as_of),
        timezone,
    )
    found = _matches(connection, cells, filters, exclusive=exclusive, direction=direction)
    return _joined(own, found, cells, direction)


def _table(probes: Any) -> pl.DataFrame | pa.Table:  # noqa: ANN401
    """Return the probes as a Polars frame where they are one, else as an Arrow table."""
    if isinstance(probes, str | os.PathLike):
        return probe_files.read(Path(probes))
    if isinstance(probes, pl.DataFrame | pl.LazyFrame):
        return probes.lazy().collect()
    if type(probes).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(probes, preserve_index=False).replace_schema_metadata(None)
    if hasattr(probes, "to_arrow_table"):
        return probes.to_arrow_table()
    if hasattr(probes, "__arrow_c_stream__"):
        return pa.table(probes)
    raise InvalidValue(
        f"probes are a frame of Polars or pandas, an Arrow table, or a CSV or Parquet file, "
        f"not {type(probes).__name__}",
        value=type(probes).__name__,
    )


def _without_views(table: pa.Table) -> pa.Table:
    """Return a table with plain text and bytes for views of them, of which Arrow takes no rows."""
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [f.with_type(plain.get(f.type, f.type)) for f in table.schema]
    return table.cast(pa.schema(fields, table.schema.metadata))


def _series(own: pl.DataFrame | pa.Table, name: str) -> pl.Series:
    if isinstance(own, pl.DataFrame):
        return own[name]
    column = own.column(name)
    kind = column.type
    if pa.types.is_null(kind):
        column = column.cast(pa.string())
    elif pa.types.is_timestamp(kind) and kind.tz is not None:
        column = column.cast(pa.timestamp(kind.unit, "UTC"))  # Polars refuses the zone +05:30
    found = pl.from_arrow(pa.table({name: column}))
    if not isinstance(found, pl.DataFrame):  # pragma: no cover - a table never gives a series
        raise TypeError
    return found[name]


def _resolved(
    connection: Connection,
    entity: pl.Series,
    at: pl.Series,
    as_of: pl.Series | None,
    timezone: str,
) -> pl.DataFrame:
    """Return entity_uid, name, type, at, as_of of each probe, or why it cannot be asked (fault)."""
    text, bad = as_text(entity)
    named = name_cells(text)
    when = instant_cells(at, timezone, bound=False)
    faults = [bad, named.reason, _missing(when.values["instant"], when.reason), when.reason]
    frame = pl.DataFrame(
        {
            "probe": pl.int_range(len(entity), dtype=pl.Int64, eager=True),
            "key": named.values["key"],
            "uid": named.values["uid"],
            "at": when.values["instant"],
        }
    )
    if as_of is None:
        frame = frame.with_columns(as_of=pl.lit(None, dtype=pl.Datetime("us", "UTC")))
    else:
        known = instant_cells(as_of, timezone, bound=False)
        frame = frame.with_columns(known.values["instant"].alias("as_of"))
        faults.append(known.reason)
    distinct = frame.select("key", "uid").unique()
    distinct = distinct.filter(pl.any_horizontal(pl.all().is_not_null()))
    meant = _meant(connection, distinct.with_row_index("cell_no"))
    frame = frame.join(
        meant, on=["key", "uid"], how="left", nulls_equal=True, maintain_order="left"
    )
    status = pl.coalesce(
        *(pl.lit(f) if f is not None else pl.lit(None, dtype=pl.String) for f in faults),
        pl.when(pl.col("found") > 1).then(pl.lit("ambiguous_name")),
        pl.when((pl.col("found") == 0) & pl.col("key").is_null()).then(pl.lit("unknown_uid")),
        pl.when(pl.col("found") == 0).then(pl.lit("unknown_name")),
    )
    return frame.with_columns(fault=status)


def _missing(values: pl.Series, reason: pl.Series | None) -> pl.Series:
    """Mark the probes that give no instant: they would otherwise see what is live now."""
    absent = values.is_null() if reason is None else values.is_null() & reason.is_null()
    return pl.select(pl.when(absent).then(pl.lit("missing_value"))).to_series()


def _meant(connection: Connection, cells: pl.DataFrame) -> pl.DataFrame:
    """Return entity_uid and how many were found for each distinct key or uid."""
    connection.raw.register("cells", cells.to_arrow())
    try:
        answer = pl.DataFrame(connection.arrow(statement("reads/probe_entities.sql")))
    finally:
        connection.raw.unregister("cells")
    return cells.join(answer.cast({"cell_no": pl.UInt32}), on="cell_no").drop("cell_no")


def _matches(
    connection: Connection,
    cells: pl.DataFrame,
    filters: dict[str, list[str] | None],
    *,
    exclusive: bool,
    direction: str,
) -> pl.DataFrame:
    values: dict[str, object] = dict(filters)
    if not exclusive:
        values["direction"] = direction
    name = "reads/point_in_time_exclusive.sql" if exclusive else "reads/point_in_time.sql"
    # text as Polars keeps it: the answer is taken over, not copied; this call's handle alone
    connection.execute("set session produce_arrow_string_view = true")
    connection.execute("set session arrow_output_version = '1.5'")
    asked = cells.filter(pl.col("fault").is_null()).select("probe", "entity_uid", "at", "as_of")
    connection.raw.register("probes", asked.to_arrow())
    try:
        return pl.DataFrame(connection.arrow(statement(name).rstrip(), values))
    finally:
        connection.raw.unregister("probes")


def _joined(
    own: pl.DataFrame | pa.Table, found: pl.DataFrame, cells: pl.DataFrame, direction: str
) -> pl.DataFrame | pa.Table:
    """Put the probes' own columns beside their matches, in the promised order."""
    bad = cells.select("probe", "fault").filter(pl.col("fault").is_not_null())
    answer = _in_order(pl.concat([found, bad], how="diagonal"))
    taken = answer["probe"]
    asked = cells.select("entity_uid", "name", "type")[taken].select(
        pl.when(answer["version"].is_not_null()).then(pl.all())
    )
    outgoing = direction == "outgoing"
    answer = answer.with_columns(
        probe_status=pl.when(pl.col("version").is_not_null())
        .then(pl.lit("matched"))
        .otherwise(pl.col("fault").fill_null("no_match")),
        subject_uid=asked["entity_uid"] if outgoing else pl.col("other_uid"),
        subject=asked["name"] if outgoing else pl.col("other"),
        object_uid=pl.col("other_uid") if outgoing else asked["entity_uid"],
        object=pl.col("other") if outgoing else asked["name"],
        object_type=pl.col("other_type") if outgoing else asked["type"],
    )
    wanted = schema.RESULTS["point_in_time"]
    theirs = own.columns if isinstance(own, pl.DataFrame) else own.column_names
    titles = _titles(wanted.names, theirs)
    ours = answer.select(wanted.names).rename(titles)
    if isinstance(own, pl.DataFrame):
        return pl.concat([own[taken], ours], how="horizontal")
    columns = ours.to_arrow().cast(
        pa.schema([pa.field(titles[f.name], f.type, f.nullable) for f in wanted])
    )
    rows = _without_views(own).take(taken.to_arrow())
    for field in columns.schema:
        rows = rows.append_column(field, columns.column(field.name))
    return rows


def _in_order(answer: pl.DataFrame) -> pl.DataFrame:
    """Sort by probe, valid_from descending (null last), version descending.

    One whole number for all three: sorting by three columns takes five times as long.
    """
    began = pl.col("valid_from").to_physical().cast(pl.Int128) + 2 ** (_START_BITS - 1)
    key = (
        pl.col("probe").cast(pl.Int128) * 2 ** (_START_BITS + _VERSION_BITS)
        - began.fill_null(0) * 2**_VERSION_BITS
        - pl.col("version").fill_null(0).cast(pl.Int128)
    )
    return answer[answer.select(key).to_series().arg_sort()]


def _titles(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, str]:
    """Return the names of our columns: `relation_` goes before one that a probe's own bears."""
    taken = {name.lower() for name in theirs}
    titles = {}
    for name in ours:
        title = name
        while title.lower() in taken:
            title = f"relation_{title}"
        titles[name] = title
        taken.add(title.lower())
    return titles
