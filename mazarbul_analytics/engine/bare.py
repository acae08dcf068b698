"""A DuckDB of our own in memory: in UTC, silent, without extensions from outside."""

from __future__ import annotations

import contextlib

import duckdb

__all__ = ["start"]


def start() -> duckdb.DuckDBPyConnection:
    """Return a new engine. Cursors of it, for other threads, have the same settings."""
    raw = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    raw.execute("set global TimeZone = 'UTC'")
    # after two seconds of a query it would write a bar to standard output, even into a file
    with contextlib.suppress(duckdb.InvalidInputException):  # Jupyter has none
        raw.execute("set enable_progress_bar = false")
    return raw
