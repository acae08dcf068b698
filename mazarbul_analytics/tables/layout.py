"""Where the parts of a store lie on disk, and in which order they are read and written."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

__all__ = ["FORMAT_VERSION", "READ_ORDER", "by_object", "exists", "new_file"]

FORMAT_VERSION = "1"
READ_ORDER = ("imports", "relays", "relations", "entities")
"""Entities are read after relations, and written before: no relation lacks its entity."""


def exists(root: Path) -> bool:
    """Tell whether a folder holds a store."""
    try:
        with os.scandir(root / "relations" / "_delta_log") as entries:
            return next(entries, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


def new_file(root: Path, name: str, *, sealed: bool = False) -> Path:
    """Return the path of a data file to be written into a table's folder."""
    return root / name / f"{'sealed' if sealed else 'part'}-{uuid.uuid4().hex}.parquet"


def by_object(sealed: Path) -> Path:
    """Return where the copy of a sealed relations file that is sorted by object lies.

    The folder's name begins with an underscore, so that no reader of the table takes it for data.
    """
    return sealed.parent / "_by_object" / sealed.name
