"""Columns of instants: text in any accepted spelling, Parquet timestamps and dates."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from mazarbul_analytics.cells.rules import Checked, by_distinct
from mazarbul_analytics.cells.text import as_text, in_calendar, microseconds
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import instants
from mazarbul_analytics.rules.names import WHITE_SPACE

__all__ = ["INSTANT", "instant_cells", "lost_digits"]

INSTANT = pl.Datetime("us", "UTC")

_PER_MICROSECOND = 1000
_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_CLOSED = pl.lit(0, dtype=pl.Int8)

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
# second 60 is left out here: the reader of Polars would take it
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_FRACTION = r"(?:\.[0-9]{1,6})?"
_OFFSET = r"[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]"

# spellings that many rows share (a pattern, its form, whether local), the commonest first;
# all others go one by one
_FORMS = [
    (f"^{_DATE}T{_TIME}Z$", "%Y-%m-%dT%H:%M:%SZ", False),
    *(
        (f"^{_DATE}{sep}{_TIME}{_FRACTION}{pattern}$", f"%Y-%m-%d{sep}%H:%M:%S%.f{form}", local)
        for sep in ("T", " ")
        for pattern, form, local in (("Z", "Z", False), (_OFFSET, "%:z", False), ("", "", True))
    ),
]


def _read_form(cells: pl.Series, fits: pl.Series, form: str) -> pl.Series:
    """Return the cells that fit a form as microseconds; null where there is no such day."""
    read = cells.to_frame("cell").select(
        pl.when(fits)
        .then(pl.col("cell"))
        .str.to_datetime(form, time_unit="us", strict=False, cache=False, exact=True)
        .to_physical()
    )
    return read.select(in_calendar(pl.all())).to_series()


def _steady_offset(day: int, zone: ZoneInfo) -> int | None:
    """Return the offset, in microseconds, that holds at every hour of a local day; else None."""
    try:
        hours = [_EPOCH + timedelta(days=day, hours=hour) for hour in range(25)]
    except OverflowError:  # the last day of the calendar
        return None
    offsets = {h.replace(tzinfo=zone, fold=fold).utcoffset() for h in hours for fold in (0, 1)}
    offset = offsets.pop()
    return None if offsets or offset is None else offset // timedelta(microseconds=1)


def _from_local(local: pl.Series, timezone: str) -> pl.Series:
    """Return local times as microseconds UTC; null on days when the clocks of the zone change.

    Those go one by one. The zone's rules are asked once a day, and only Python's: another copy of
    the time zone database might differ.
    """
    if timezone == "UTC":
        return local
    zone = instants.zone(timezone)
    table = local.to_frame("local").with_columns(day=pl.col("local") // _DAY)
    days = table["day"].drop_nulls().unique()
    offsets = pl.DataFrame(
        {"day": days, "offset": [_steady_offset(day, zone) for day in days]},
        schema_overrides={"offset": pl.Int64},
    )
    joined = table.join(offsets, on="day", how="left", maintain_order="left")
    return joined.select(in_calendar(pl.col("local") - pl.col("offset"))).to_series()


def _text_cells(cells: pl.Series, timezone: str, *, bound: bool) -> Checked:
    cells = cells.to_frame("cell").select(pl.when(pl.col("cell") != "").then("cell")).to_series()
    found = pl.repeat(None, len(cells), dtype=pl.Int64, eager=True)
    todo = cells.is_not_null()
    for pattern, form, local in _FORMS:
        if not todo.any():
            break
        fits = cells.str.contains(pattern) & todo
        if fits.any():
            read = _read_form(cells, fits, form)
            read = _from_local(read, timezone) if local else read
            found = read if found.null_count() == len(found) else found.zip_with(~fits, read)
            todo = todo & found.is_null()

    def judge(text: str) -> tuple[datetime | None, int, str | None]:
        try:
            read = (
                instants.parse_bound(text, timezone=timezone)
                if bound or not text.strip(WHITE_SPACE)
                else instants.parse(text, timezone=timezone)
            )
        except InvalidValue as error:
            return None, 0, error.reason
        if isinstance(read, instants.Open):
            return None, -1 if read is instants.NEGATIVE_INFINITY else 1, None
        return read, 0, None

    odd = by_distinct(
        cells, todo, judge, {"instant": INSTANT, "open": pl.Int8, "reason": pl.String}
    )
    values = pl.DataFrame({"instant": found.cast(INSTANT)}).with_columns(open=_CLOSED)
    if odd is None:
        return Checked(values, None)
    values = pl.DataFrame({"instant": found.cast(INSTANT).fill_null(odd["instant"])}).with_columns(
        open=odd["open"].fill_null(0)
    )
    reason = odd["reason"]
    return Checked(values, None if reason.null_count() == len(reason) else reason)


def _native_cells(column: pl.Series, timezone: str) -> Checked:
    number = microseconds(column)
    outside = number.is_null() & column.is_not_null()
    aware = isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None
    instant = number if aware else _from_local(number, timezone)
    values = pl.DataFrame({"instant": instant.cast(INSTANT)}).with_columns(open=_CLOSED)
    checked = Checked(values, None)
    if (instant.is_null() & number.is_not_null()).any():
        local = number.cast(pl.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S%.6f")
        checked = _text_cells(local, timezone, bound=False)
    if not outside.any():
        return checked
    base = pl.lit(None, dtype=pl.String) if checked.reason is None else checked.reason
    reason = pl.select(
        pl.when(outside).then(pl.lit("bad_instant")).otherwise(base).alias("reason")
    ).to_series()
    return Checked(checked.values, reason)


def instant_cells(column: pl.Series, timezone: str, *, bound: bool) -> Checked:
    """Return `instant` (UTC, microseconds) and `open` (-1, 0 or 1: an infinity) of optional cells.

    Times without an offset and dates are local to `timezone`. Infinities are refused unless the
    column is the `bound` of a period. Timestamps of nanoseconds are floored to microseconds.
    """
    if isinstance(column.dtype, pl.Datetime) or column.dtype == pl.Date:
        return _native_cells(column, timezone)
    cells, bad = as_text(column)
    checked = _text_cells(cells, timezone, bound=bound)
    return checked if bad is None else Checked(checked.values, bad)


def lost_digits(column: pl.Series) -> int:
    """Count the values that flooring to microseconds changes."""
    if not (isinstance(column.dtype, pl.Datetime) and column.dtype.time_unit == "ns"):
        return 0
    return int((column.to_physical() % _PER_MICROSECOND != 0).sum() or 0)
