"""The rejects of an import: lines found for rows, one frame for all files, written to a file."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.files.sources import Source

__all__ = ["COLUMNS", "check_target", "gather", "write_rejects"]

COLUMNS = {
    "file": pl.String,
    "line": pl.Int64,
    "column": pl.String,
    "reason": pl.String,
    "value": pl.String,
}


def gather(found: Sequence[pl.DataFrame], sources: Sequence[Source]) -> pl.DataFrame:
    """Return the rejects of all files in order of file and line.

    A negative line is -1 - row of its source: its physical line is looked up here, in a second pass
    over the file that only an import with rejects pays for.
    """
    if not found:
        return pl.DataFrame(schema=COLUMNS)
    whole = pl.concat(found)
    parts = []
    for (file_no,), part in whole.group_by("file_no", maintain_order=True):
        source = sources[int(str(file_no))]
        rows = part.filter(pl.col("line") < 0)["line"].to_list()
        lines = source.lines([-1 - r for r in rows]) if rows else []
        place = dict(zip(rows, lines, strict=True))
        parts.append(
            part.with_columns(
                file=pl.lit(str(source.path)),
                line=pl.Series([place.get(n, n) for n in part["line"]], dtype=pl.Int64),
                order=pl.lit(int(str(file_no))),
            )
        )
    return pl.concat(parts).sort("order", "line", maintain_order=True).select(list(COLUMNS))


def check_target(target: Path) -> None:
    """Raise `InvalidValue` where a rejects file has neither of the two endings, or no folder."""
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise InvalidValue(f"a rejects file ends in .csv or .parquet: {target}", value=str(target))
    if not target.absolute().parent.is_dir():
        raise InvalidValue(f"no folder for the rejects file: {target}", value=str(target))


def write_rejects(rejects: pl.DataFrame, target: Path) -> None:
    """Write rejects as CSV or Parquet, by the file's ending; moved into place when whole."""
    beside = target.with_name(f".{target.name}-{uuid.uuid4().hex}")
    try:
        if target.suffix.lower() == ".csv":
            rejects.write_csv(beside)
        else:
            rejects.write_parquet(beside)
        beside.replace(target)
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)
