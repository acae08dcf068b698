"""Delete the files that no commit names any more, and what killed processes left."""

from __future__ import annotations

import contextlib
import math
import shutil
import time
from datetime import timedelta
from pathlib import Path

from mazarbul_analytics.door import catalog
from mazarbul_analytics.tables import commits, layout
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.writing.session import Session, transact

__all__ = ["clear", "vacuum"]

LEFT_OVER = (".scratch-*", ".catalog.duckdb-*")


def vacuum(root: Path, older_than: timedelta) -> list[str]:
    """Delete files that no commit names any more; see `Store.vacuum`."""
    hours = older_than.total_seconds() / 3600

    def decide(session: Session) -> list[str]:
        # a door that a crash left behind names files that are to go
        if catalog.is_behind(session.snapshot):
            catalog.build(session.snapshot)
        return clear(session.snapshot, hours)

    return transact(root, decide)


def clear(snapshot: Snapshot, hours: float) -> list[str]:
    """Delete the data files that no commit names and that are older than `hours`; list them.

    A part of an hour counts as a whole one: no file goes before its time.
    """
    gone: list[str] = []
    for name, state in snapshot.tables.items():
        there = {p.name for p in (snapshot.root / name).iterdir()}
        found = state.handle.vacuum(
            retention_hours=math.ceil(hours),
            dry_run=False,
            enforce_retention_duration=False,
            full=True,
        )
        log = snapshot.root / name / "_delta_log"
        newest = f"{state.version:020d}.json"
        commits.sync(*(p for p in log.glob("*.json") if p.name > newest), log)
        # the library names those too that an earlier call deleted
        gone += [f"{name}/{Path(f).name}" for f in found if Path(f).name in there]
    copies = layout.by_object(snapshot.root / "relations" / "any").parent
    for copy in sorted(copies.iterdir()) if copies.is_dir() else ():
        if not (copies.parent / copy.name).exists():
            copy.unlink()
            gone.append(f"relations/{copies.name}/{copy.name}")
    return sorted([*gone, *_clear_left_over(snapshot.root, max(1.0, hours))])


def _clear_left_over(root: Path, hours: float) -> list[str]:
    """Delete what processes that were killed left beside the tables: spilled rows, half a door.

    An import that is reading has such a folder and no lock: a young one is not touched.
    """
    gone = []
    oldest = time.time() - hours * 3600
    for pattern in LEFT_OVER:
        for left in root.glob(pattern):
            with contextlib.suppress(FileNotFoundError):
                if left.stat().st_mtime < oldest:
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
                    gone.append(left.name)
    return gone
