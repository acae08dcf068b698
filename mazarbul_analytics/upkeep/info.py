"""Count a store: rows, files, bytes, versions."""

from __future__ import annotations

from typing import Any

from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["info"]


def info(connection: Connection, snapshot: Snapshot) -> dict[str, Any]:
    """Return counts, sizes, table versions, the newest commit's instant."""
    row = connection.named("reads/info.sql").to_pylist()[0]
    return {
        "path": str(snapshot.root),
        **row,
        "newest_commit": snapshot.newest_commit,
        "tables": {
            name: {
                "version": state.version,
                "files": len(state.files),
                "sealed_files": sum(f.sealed for f in state.files),
                "rows": state.rows,
                "bytes": sum(f.size for f in state.files),
            }
            for name, state in sorted(snapshot.tables.items())
        },
    }
