"""Write data files into a table's folder with DuckDB, with the statistics that Delta wants."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection, literal
from mazarbul_analytics.tables.commits import Written

__all__ = ["write"]

APPENDED = "compression zstd, compression_level 1"
GROUP_ROWS = {"relations": 40960, "entities": 10240}
"""Rows of a row group in a sealed file: what scans fastest for one entity. A bloom filter is
written for a column whose dictionary holds every value of its group, so the limit is above that."""


def _sealed(table: str, *, scanned: bool) -> str:
    # what is scanned whole is worth half as many bytes again, to be unpacked in half the time
    rows = GROUP_ROWS.get(table, 20480)
    return (
        f"compression {'snappy' if scanned else 'zstd, compression_level 1'}, "
        f"row_group_size {rows}, dictionary_size_limit {rows + rows // 10}, "
        "bloom_filter_false_positive_ratio 0.005"
    )


def write(
    connection: Connection,
    query: str,
    path: Path,
    *,
    table: str,
    sealed: bool = False,
    scanned: bool = False,
) -> Written | None:
    """Write the rows of a query to `path`; return None, and no file, where there are none.

    The file is complete but named by no commit yet. On failure no file stays.
    """
    options = _sealed(table, scanned=scanned) if sealed else APPENDED
    sql = f"copy ({query}) to {literal(str(path))} (format parquet, {options}, return_stats)"
    try:
        answer = connection.rows(sql)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    rows = sum(a[1] for a in answer)
    if rows == 0:
        path.unlink(missing_ok=True)
        return None
    return Written(path, rows, _stats(table, rows, answer[0][4]))


def _stats(table: str, rows: int, columns: dict[str, dict[str, str]]) -> str:
    """Return Delta's statistics: exact bounds of numbers and instants, and of whole texts."""
    lowest: dict[str, Any] = {}
    highest: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for field in schema.TABLES[table]:
        found = columns.get(f'"{field.name}"', {})
        if "null_count" in found:
            nulls[field.name] = int(found["null_count"])
        if field.type in (schema.WHOLE, schema.INSTANT) and "min" in found and "max" in found:
            lowest[field.name] = _bound(found["min"])
            highest[field.name] = _bound(found["max"])
        elif field.name.endswith("_uid") and found.get("max_is_exact") == "true":
            lowest[field.name], highest[field.name] = found["min"], found["max"]
    return json.dumps(
        {"numRecords": rows, "minValues": lowest, "maxValues": highest, "nullCount": nulls}
    )


def _bound(text: str) -> int | str:
    match = re.fullmatch(r"(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00", text)
    return f"{match[1]}T{match[2]}Z" if match else int(text)
