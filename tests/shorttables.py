"""Answers of the store as short tables, for tests that write what they expect by hand."""

from __future__ import annotations

from datetime import UTC

from engine import rows

__all__ = ["current", "listing", "load", "newest_instant", "short"]


def short(instant):
    """Spell an instant as briefly as the tables here do: a date where it is midnight."""
    if instant is None:
        return None
    text = instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return text.removesuffix("T00:00:00Z")


def listing(store, name, **asked):
    """List object, start and end of an entity's relations, in the order of the answer."""
    return [
        (row["object"], short(row["valid_from"]), short(row["valid_to"]))
        for row in rows(store.relations(name, **asked))
    ]


def current(store, name, as_of=None):
    """List what is current knowledge of an entity at every valid time, by start."""
    found = [
        (row["object"], short(row["valid_from"]), short(row["valid_to"]))
        for row in rows(store.relations(name, as_of=as_of, include_inactive=True, limit=1000))
        if row["status"] in {"live", "expired", "future"}
    ]
    return sorted(found, key=lambda row: (row[1] or "", row[0]))


def newest_instant(store):
    """When the last commit that changed anything was recorded."""
    found = rows(store.sql("select recorded_at, superseded_at from relation_history"))
    return max(instant for row in found for instant in row.values() if instant is not None)


def load(store, folder, text, **options):
    """Import the rows of a small CSV; commas part the cells."""
    path = folder / f"rows-{len(list(folder.glob('rows-*')))}.csv"
    path.write_text(text.replace(" ", "").strip() + "\n", encoding="utf-8")
    return store.import_relations(str(path), **options)
