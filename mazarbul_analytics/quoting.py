"""Texts, names and paths as SQL writes them; wherever it takes a parameter, values are bound."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["literal", "literal_path", "quoted"]


def quoted(identifier: str) -> str:
    """Return an identifier quoted for SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as an SQL literal; only where SQL takes no parameter (views, COPY)."""
    return "'" + text.replace("'", "''") + "'"


def literal_path(path: Path | str) -> str:
    """Return a path as an SQL literal that `read_parquet` takes for one file, not a pattern."""
    return literal(re.sub(r"([\[*?])", r"[\1]", str(path)))
