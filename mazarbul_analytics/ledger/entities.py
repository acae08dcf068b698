"""Entities: resolve a reference, name near ones, list them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import AmbiguousEntity, Candidate, UnknownEntity
from mazarbul_analytics.rules import names

__all__ = ["Entity", "listing", "named", "near", "resolve", "resolve_or_none"]

SHOWN = 20
MOST_BOUND = 200


@dataclass(frozen=True)
class Entity:
    """A thing with a `uid`, a display `name` and a `type`."""

    uid: str
    name: str
    type: str

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - notebooks only

        shown = escape(names.escape_invisible(self.name))
        return f"<b>{shown}</b> ({escape(self.type)}) <code>{self.uid}</code>"


def resolve(connection: Connection, text: str) -> Entity:
    """Return the one entity that a reference names: `entities/{uid}`, a bare uid, or a name.

    Raises `UnknownEntity` (with near names) or `AmbiguousEntity` (with the candidates).
    """
    found = resolve_or_none(connection, text)
    if found is None:
        raise _unknown(connection, text)
    return found


def resolve_or_none(connection: Connection, text: str) -> Entity | None:
    """Return the entity that a reference names, None for a name that nobody bears.

    Raises `UnknownEntity` for a uid that is not known, `AmbiguousEntity` for a name of several.
    """
    reference = names.parse_reference(text)
    if reference.uid is not None:
        rows = connection.named("reads/entity_by_uid.sql", {"uid": reference.uid}).to_pylist()
        if not rows:
            raise UnknownEntity(
                f"no entity has the uid {reference.uid}\n"
                "Use its name, or bring it in with `mazarbul import entities`.",
                value=text,
            )
    else:
        key = names.name_key(reference.name or "")
        bearers = connection.named("reads/entities_by_key.sql", {"key": key})
        # in order here: an order in the query makes the engine read the files twice
        rows = bearers.sort_by("entity_uid").slice(0, SHOWN + 1).to_pylist()
    found = [Entity(r["entity_uid"], r["name"], r["type"]) for r in rows]
    if len(found) > 1:
        raise _ambiguous(text, found)
    return found[0] if found else None


def near(connection: Connection, text: str) -> tuple[Candidate, ...]:
    """Return up to five entities whose names are near to a text."""
    reference = names.parse_reference(text)
    if reference.name is None:
        return ()
    key = names.name_key(reference.name)
    rows = connection.named("reads/entities_near.sql", {"key": key}).to_pylist()
    return tuple(Candidate(r["entity_uid"], r["name"], r["type"]) for r in rows)


def named(connection: Connection, uids: pa.Array) -> pa.Table:
    """Return `entity_uid`, `name`, `type` of some entities.

    Few uids are bound one by one, since only such a filter reaches the row groups of the files;
    many are joined.
    """
    if len(uids) <= MOST_BOUND:
        values = {f"uid_{n}": uid for n, uid in enumerate(uids.to_pylist())}
        marks = ", ".join(f"${name}" for name in values)
        return connection.page(
            f"select entity_uid, name, type from entities_files where entity_uid in ({marks})",
            values,
        )
    connection.raw.register("wanted", pa.table({"entity_uid": uids}))
    try:
        return connection.arrow(
            "select e.entity_uid, e.name, e.type from entities_files as e "
            "where e.entity_uid in (select entity_uid from wanted)"
        )
    finally:
        connection.raw.unregister("wanted")


def listing(connection: Connection, like: str | None) -> pa.Table:
    """Return the entities whose folded name holds `like`, by name; all of them for None."""
    key = None if like is None else names.name_key(" ".join(like.split()))
    table = connection.arrow(statement("reads/entities_listed.sql"), {"like": key})
    return table.cast(schema.RESULTS["entities"])


def _unknown(connection: Connection, text: str) -> UnknownEntity:
    candidates = near(connection, text)
    if candidates:
        shown = ", ".join(f"{names.escape_invisible(c.name)} ({c.uid})" for c in candidates)
        return UnknownEntity(
            f"no entity is named {text!r}\nNear names: {shown}", value=text, candidates=candidates
        )
    return UnknownEntity(
        f"no entity is named {text!r}\nSee `mazarbul entities` for the names that are known.",
        value=text,
    )


def _ambiguous(text: str, found: list[Entity]) -> AmbiguousEntity:
    shown = ", ".join(f"{e.uid} {names.escape_invisible(e.name)} ({e.type})" for e in found[:SHOWN])
    more = ", …" if len(found) > SHOWN else ""
    return AmbiguousEntity(
        f"several entities are named {text!r}: name one by its uid\nCandidates: {shown}{more}",
        value=text,
        candidates=[Candidate(e.uid, e.name, e.type) for e in found],
    )
