"""Relations and relays on both time axes, kept in Parquet, asked in the past tense."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mazarbul_analytics.version import __version__ as __version__

if TYPE_CHECKING:
    from mazarbul_analytics.cells.frames import check, normalize, normalize_entities
    from mazarbul_analytics.errors import (
        AmbiguousEntity,
        Candidate,
        EntityConflict,
        ImportAborted,
        InvalidValue,
        MazarbulError,
        QueryError,
        RelayConflict,
        SelfReference,
        StoreError,
        UnknownEntity,
        UnknownRelation,
        UnknownRelay,
        WriterBusy,
        WritesDisabled,
    )
    from mazarbul_analytics.store import Store

__all__ = [
    "AmbiguousEntity",
    "Candidate",
    "EntityConflict",
    "ImportAborted",
    "InvalidValue",
    "MazarbulError",
    "QueryError",
    "RelayConflict",
    "SelfReference",
    "Store",
    "StoreError",
    "UnknownEntity",
    "UnknownRelation",
    "UnknownRelay",
    "WriterBusy",
    "WritesDisabled",
    "check",
    "normalize",
    "normalize_entities",
]

_HOMES = {
    "Store": "store",
    "check": "cells.frames",
    "normalize": "cells.frames",
    "normalize_entities": "cells.frames",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - loads what is asked for
    """Load a public name on first use, so that starting is quick."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_HOMES.get(name, 'errors')}")
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
