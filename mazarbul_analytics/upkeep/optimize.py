"""Rewrite tables into sealed, sorted files: no answer changes, all get quicker."""

from __future__ import annotations

from pathlib import Path

from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.writing.folding import rewrite
from mazarbul_analytics.writing.session import Session, transact

__all__ = ["optimize", "rewrite_all"]

SEALED_ORDER = {
    "relations": "subject_uid, predicate, object_uid, version",
    "entities": "entity_uid",
    "relays": "relay_id",
    "imports": "recorded_at, import_uid",
}


def optimize(root: Path) -> dict[str, int]:
    """Rewrite the tables into sealed, sorted files; see `Store.optimize`."""

    def decide(session: Session) -> dict[str, int]:
        return rewrite_all(session.snapshot, session.connection)

    return transact(root, decide)


def rewrite_all(snapshot: Snapshot, connection: Connection) -> dict[str, int]:
    """Rewrite every table into one sealed, sorted file; return the rows of each table rewritten.

    `superseded_at` is filled, so that a scan of history is a filter over four time columns.
    """
    done: dict[str, int] = {}
    for name, state in snapshot.tables.items():
        if len(state.files) == 0 or (len(state.files) == 1 and state.files[0].sealed):
            continue
        query = _sealed_query(name)
        rewrite(connection, snapshot.root, state, query, list(state.files), sealed=True)
        done[name] = state.rows
    return done


def _sealed_query(name: str) -> str:
    order = SEALED_ORDER[name]
    if name == "relations":
        return f"{statement('writes/sealed_relations.sql').strip()} order by {order}"
    return f"select * from {name}_files order by {order}"
