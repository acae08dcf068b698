"""Where a call may write: refused before any work is done for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.tables import layout

__all__ = ["refuse_inside", "refuse_output", "refuse_read_only"]


def refuse_read_only(root: Path) -> None:
    """Raise `StoreError` where nothing can be written, before any work is done for it."""
    if layout.exists(root) and not os.access(root, os.W_OK):
        raise StoreError(f"cannot write to {root}: the folder is read-only")


def refuse_output(target: Path, root: Path, inputs: Sequence[Path] = ()) -> None:
    """Raise `InvalidValue` where an output would overwrite an input, or a file of the store.

    Nor may it take the place of a device or a pipe: what is moved there would replace it.
    """
    whole = target.resolve()
    if whole.exists() and not whole.is_file() and not whole.is_dir():
        raise InvalidValue(
            f"the output is a device or a pipe: {target}\nName a file.",
            value=str(target),
            reason="bad_path",
        )
    if any(whole == path.resolve() for path in inputs):
        raise InvalidValue(
            f"the output would overwrite what is read: {target}\nName another file.",
            value=str(target),
            reason="bad_path",
        )
    refuse_inside(target, root)


def refuse_inside(target: Path, root: Path) -> None:
    """Raise `InvalidValue` where an output would lie among the files of the store."""
    if target.resolve().is_relative_to(root.resolve()):
        raise InvalidValue(
            f"the output would lie inside the store: {target}\nName a file outside {root}.",
            value=str(target),
            reason="bad_path",
        )
