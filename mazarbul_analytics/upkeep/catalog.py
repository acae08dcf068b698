"""Build the door anew, or a copy of it that stands alone."""

from __future__ import annotations

from pathlib import Path

from mazarbul_analytics.door import catalog as door
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.writing.session import Session, transact

__all__ = ["catalog"]


def catalog(root: Path, extract: Path | None, *, relay_bytes: bool = False) -> Path:
    """Build the door anew, or write a self-contained copy to `extract`; see `Store.catalog`."""
    if extract is not None:
        return door.extract(snapshots.snapshot(root), extract, relay_bytes=relay_bytes)
    if relay_bytes:
        raise InvalidValue(
            "relay_bytes is said of an extract, and none is asked for\nGive extract=FILE too.",
            value="relay_bytes",
        )

    def decide(session: Session) -> Path:
        return door.build(session.snapshot)

    return transact(root, decide)
