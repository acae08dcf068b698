"""What `mazarbul sql` accepts: one SELECT, with `$at` and `$as_of` bound where they occur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from mazarbul_analytics.engine.confined import one_select
from mazarbul_analytics.engine.connection import translated
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import instants

__all__ = ["engine_errors", "parameters", "reader"]


@contextmanager
def engine_errors(query: str) -> Iterator[None]:
    """Translate what the engine raises while a query of the user's is bound or its rows read."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        raise translated(error, query, user=True) from error


def parameters(query: str, *, at: str | None, as_of: str | None) -> dict[str, datetime | None]:
    """Return what to bind: the instants of `$at` and `$as_of`, null when not given.

    Raises QueryError for anything but one SELECT, InvalidValue for a bad instant, for another
    parameter, and for an instant that the query does not use.
    """
    named = one_select(query).named_parameters
    given = {"at": at, "as_of": as_of}
    for name in sorted(named - given.keys()):
        raise InvalidValue(f"${name} is not known: a query may name $at and $as_of", value=name)
    for name, value in given.items():
        if value is not None and name not in named:
            option = name.replace("_", "-")
            raise InvalidValue(f"--{option} is given, but the query has no ${name}", value=value)
    return {
        name: None if value is None else instants.parse(value)
        for name, value in given.items()
        if name in named
    }


def reader(relation: Any) -> pa.RecordBatchReader:  # noqa: ANN401 - a DuckDB relation
    """Return a relation's rows as a stream, so that a large answer is not held whole."""
    found: pa.RecordBatchReader = relation.to_arrow_reader(100_000)
    return found
