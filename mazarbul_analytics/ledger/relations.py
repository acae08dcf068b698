"""Reading relations: the listing at (at, as_of), and the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.compute as pc

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.ledger import entities
from mazarbul_analytics.ledger.entities import Entity
from mazarbul_analytics.rules import instants, names
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["Instant", "Listing", "filters_of", "history", "instants_asked", "listing"]

Instant = str | date | datetime | None

FEW = 10_000
"""Up to so many rows an answer is small; see `Connection.page`."""


@dataclass(frozen=True)
class Listing:
    """An answer of `relations`: its rows as a table, and what was asked.

    `table` is a `pyarrow.Table`; `total` counts the rows before the cut at `limit`.
    """

    table: pa.Table
    entity: Entity
    at: datetime
    as_of: datetime | None
    total: int

    @property
    def truncated(self) -> bool:
        """Whether `limit` cut rows off."""
        return self.total > len(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or name == "table":
            raise AttributeError(name)
        return getattr(self.table, name)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        cut = f" of {self.total}" if self.truncated else ""
        return (
            f"<{len(self)}{cut} relations of {self.entity.name!r} at {instants.format(self.at)}, "
            f"as of {instants.format(self.as_of) or 'all that is recorded'}>"
        )

    def _repr_html_(self) -> str:
        from mazarbul_analytics.display import html_table  # noqa: PLC0415 - notebooks only

        cut = f" of {self.total}" if self.truncated else ""
        as_of = instants.format(self.as_of) or "all that is recorded"
        caption = (
            f"{len(self)}{cut} relations of {self.entity.name} "
            f"at {instants.format(self.at)}, as of {as_of}"
        )
        return html_table(self.table, caption)


def listing(
    connection: Connection,
    snapshot: Snapshot,
    entity: str,
    *,
    at: Instant,
    as_of: Instant,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
    limit: int,
    include_inactive: bool,
) -> Listing:
    """Return the relations of an entity at (at, as_of); the caller documents it."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidValue(f"limit is a whole number, at least 1: {limit!r}", value=limit)
    asked = instants_asked(snapshot, at, as_of)
    filters = filters_of(predicates, scopes)
    found = entities.resolve(connection, entity)
    source = "statuses_of" if include_inactive else "relations_of"
    table, total = _page(connection, found, source, asked, filters, limit)
    return Listing(_shaped(table, "relations"), found, asked[0], asked[1], total)


def history(
    connection: Connection,
    snapshot: Snapshot,
    entity: str,
    *,
    as_of: Instant,
    predicates: Sequence[str] | None,
    scopes: Sequence[str] | None,
) -> pa.Table:
    """Return every version of an entity's relations; the caller documents it."""
    asked = instants_asked(snapshot, None, as_of)
    filters = filters_of(predicates, scopes)
    found = entities.resolve(connection, entity)
    table, _ = _page(connection, found, "statuses_of", asked, filters, None)
    return _shaped(table, "history")


def instants_asked(
    snapshot: Snapshot, at: Instant, as_of: Instant
) -> tuple[datetime, datetime | None]:
    """Return `at` (default now, or the newest commit if that is later) and `as_of`, parsed."""
    newest = snapshot.newest_commit
    now = datetime.now(UTC)
    known = None if as_of is None else instants.parse(as_of)
    if at is not None:
        return instants.parse(at), known
    return (now if newest is None else max(now, newest)), known


def filters_of(
    predicates: Sequence[str] | None, scopes: Sequence[str] | None
) -> dict[str, list[str] | None]:
    """Return the wanted predicates (None = all) and scopes (default project, personal), checked."""
    if isinstance(predicates, str) or isinstance(scopes, str):
        given = predicates if isinstance(predicates, str) else scopes
        raise InvalidValue(f"give a list, not a text: [{given!r}]", value=given)
    return {
        "predicates": [names.predicate(p) for p in predicates] if predicates else None,
        "scopes": [names.scope(s) for s in scopes or names.DEFAULT_SCOPES],
    }


def _page(
    connection: Connection,
    entity: Entity,
    source: str,
    asked: tuple[datetime, datetime | None],
    filters: dict[str, list[str] | None],
    limit: int | None,
) -> tuple[pa.Table, int]:
    """Run the listing, then join names to what it shows: a join would scan all entities."""
    shown = "*" if source == "statuses_of" else "*, 'live' as status"
    run = connection.arrow if limit is None or limit > FEW else connection.page
    page = run(
        f"with found as (select {shown} from {source}($uid, $at, $as_of)) "
        + statement("reads/listed.sql"),
        {"uid": entity.uid, "at": asked[0], "as_of": asked[1], "limit": limit, **filters},
    )
    if page.num_rows == 0:
        return page, 0
    total = page.column("total")[0].as_py()
    uids = pc.unique(pa.concat_arrays([_whole(page, "subject_uid"), _whole(page, "object_uid")]))
    connection.raw.register("page", page)
    connection.raw.register("ends", entities.named(connection, uids))
    try:
        return run(statement("reads/named.sql")), total
    finally:
        connection.raw.unregister("page")
        connection.raw.unregister("ends")


def _whole(page: pa.Table, column: str) -> pa.Array:
    return page.column(column).combine_chunks()


def _shaped(table: pa.Table, name: str) -> pa.Table:
    """Return the rows in the columns and types that the call promises."""
    wanted = schema.RESULTS[name]
    if table.num_rows == 0:
        return wanted.empty_table()
    return table.select(wanted.names).cast(wanted)
