"""A file of probes as an Arrow table: CSV (every cell text, also packed) or Parquet."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files.text import open_text

__all__ = ["read"]

_PARQUET = {".parquet", ".pq"}


def read(path: Path) -> pa.Table:
    """Return the rows of a file in its order, with all of its columns.

    An empty cell of a CSV is null. Raises `InvalidValue` for a file that is not there, for two
    columns of one name, and for a row with another number of cells than the header.
    """
    try:
        if path.suffix.lower() in _PARQUET:
            return pq.read_table(path, partitioning=None)
        return _csv(path)
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidValue(
            f"cannot read the probes in {path}: {reason}", value=str(path)
        ) from error


def _csv(path: Path) -> pa.Table:
    text = open_text(path)
    try:
        with text.path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            tabs = "\t" in head and "," not in head
            rows = csv.reader(file, delimiter="\t" if tabs else ",", strict=True)
            header = next(rows, [])
            cells: list[list[str | None]] = [[] for _ in header]
            for row in rows:
                if len(row) != len(header):
                    if not row:
                        continue
                    raise InvalidValue(
                        f"{path}, line {rows.line_num}: {len(row)} cells, but the header has "
                        f"{len(header)}\nGive every probe a cell for each column.",
                        value=str(path),
                    )
                for column, cell in zip(cells, row, strict=True):
                    column.append(cell or None)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidValue(f"{path} is no CSV in UTF-8: {error}", value=str(path)) from error
    finally:
        text.close()
    if len(set(header)) != len(header) or not header:
        raise InvalidValue(
            f"{path}: the header has {'two columns of one name' if header else 'no column'}: "
            f"{', '.join(header)}",
            value=str(path),
        )
    return pa.table({n: pa.array(c, pa.string()) for n, c in zip(header, cells, strict=True)})
