"""The health of a table's log: torn and missing entries are named, errors of delta-rs made ours."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from deltalake.exceptions import DeltaError, TableNotFoundError

from mazarbul_analytics.errors import StoreError

__all__ = ["log_entry", "refuse_torn", "translated"]

# how delta-rs tells of a gap: both neighbours, each with its file name
_GAP = re.compile(r'found gap: .*?filename: "([^"]+)".*?filename: "([^"]+)"')


def log_entry(folder: Path, version: int) -> Path:
    """Return the file of one commit to the table in a folder."""
    return folder / "_delta_log" / f"{version:020d}.json"


def refuse_torn(folder: Path) -> None:
    """Refuse a log that a power cut left with an empty or half-written entry."""
    log = folder / "_delta_log"
    if not log.is_dir():
        raise StoreError(f"{folder}: the table's log is missing\nRestore the folder from a copy.")
    newest = ""
    with os.scandir(log) as entries:
        for entry in entries:
            if entry.name.endswith(".json") and entry.name[:20].isdigit():
                if entry.stat().st_size == 0:
                    raise _torn(log / entry.name)
                newest = max(newest, entry.name)
    if newest and not _whole(log / newest):
        raise _torn(log / newest)


def _whole(entry: Path) -> bool:
    try:
        lines = entry.read_text(encoding="utf-8").splitlines()
        return bool(lines) and all(isinstance(json.loads(line), dict) for line in lines)
    except ValueError:
        return False


def _torn(entry: Path) -> StoreError:
    later = log_entry(entry.parent.parent, int(entry.name[:20]) + 1).exists()
    mend = (
        "Later entries build on it: restore the store's folder from a copy."
        if later
        else "Restore the store's folder from a copy. If a power cut tore it, its commit was never "
        "reported done: then move that file away and run `mazarbul check`."
    )
    return StoreError(f"{entry}: the log entry is empty or torn\n{mend}")


@contextlib.contextmanager
def translated(folder: Path) -> Iterator[None]:
    """Turn errors of delta-rs over a table into ours; the one place that does."""
    try:
        yield
    except TableNotFoundError as error:
        raise StoreError(f"{folder}: no table here\nRestore the folder from a copy.") from error
    except (DeltaError, OSError, ValueError) as error:
        gap = _GAP.search(str(error))
        if gap:
            raise StoreError(
                f"{folder / '_delta_log'}: log entries are missing between {gap[1]} and {gap[2]}\n"
                "Restore the store's folder from a copy."
            ) from error
        reason = re.sub(r"\s+", " ", str(error)).split(" { ")[0][:300]
        raise StoreError(f"{folder}: the table cannot be read: {reason}") from error
