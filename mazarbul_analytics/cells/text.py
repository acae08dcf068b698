"""Columns of any type as text, and times as microseconds: what the rules of cells start from."""

from __future__ import annotations

import polars as pl

from mazarbul_analytics.errors import InvalidValue

__all__ = ["as_text", "in_calendar", "microseconds", "shown_cells"]

# 0001-01-01T00:00:00 and 9999-12-31T23:59:59.999999: what RFC 3339 can write
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
_DAY = 86_400_000_000
_PER_MICROSECOND = 1000


def in_calendar(number: pl.Expr, unit: int = 1) -> pl.Expr:
    """Return a count of `unit` microseconds since 1970, null outside the years 1 to 9999."""
    return pl.when(number.is_between(-(-_FIRST // unit), _LAST // unit)).then(number)


def microseconds(column: pl.Series) -> pl.Series:
    """Return timestamps or dates in microseconds, floored; null outside the years 1 to 9999."""
    number = pl.col("cell")
    unit = column.dtype.time_unit if isinstance(column.dtype, pl.Datetime) else "d"
    if unit == "d":
        found = in_calendar(number, _DAY).cast(pl.Int64) * _DAY
    elif unit == "ms":
        found = in_calendar(number, _PER_MICROSECOND) * _PER_MICROSECOND
    elif unit == "ns":
        found = number // _PER_MICROSECOND  # floors, also before 1970
    else:
        found = in_calendar(number)
    return column.to_physical().to_frame("cell").select(found).to_series()


def _decoded(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _times_as_text(column: pl.Series) -> pl.Series:
    """Write timestamps or dates; Polars panics on those that are far off, which stay numbers."""
    near = microseconds(column).is_not_null()
    table = column.to_frame("cell").with_columns(far=column.to_physical().cast(pl.String))
    return table.select(
        pl.coalesce(pl.when(near).then(pl.col("cell")).cast(pl.String), "far")
    ).to_series()


def as_text(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Return a column as text, and the reasons (`bad_encoding`) of cells that are no UTF-8.

    Such cells are written as hex digits. Raises InvalidValue for lists, structs and objects, which
    have no text.
    """
    if column.dtype == pl.String:
        return column, None
    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise InvalidValue(
            f"The column {column.name!r} holds {column.dtype}: give one text in a cell",
            value=column.name,
            reason="bad_value",
        )
    if isinstance(column.dtype, pl.Datetime) or column.dtype == pl.Date:
        return _times_as_text(column), None
    try:
        return column.cast(pl.String), None
    except pl.exceptions.ComputeError:  # bytes that are no UTF-8 somewhere: find them
        raw: list[bytes | None] = column.to_list()
    text = pl.Series([None if cell is None else _decoded(cell) for cell in raw], dtype=pl.String)
    lost = text.is_null() & column.is_not_null()
    reason = pl.select(pl.when(lost).then(pl.lit("bad_encoding"))).to_series()
    return text.zip_with(~lost, column.bin.encode("hex")), reason


def shown_cells(column: pl.Series) -> pl.Series:
    """Return a column of any type as text that shows its cells in a reject."""
    if isinstance(column.dtype, pl.Struct):
        return column.struct.json_encode()
    if column.dtype.is_nested():
        return pl.Series(
            [None if cell is None else str(cell) for cell in column.to_list()], dtype=pl.String
        )
    return as_text(column)[0]
