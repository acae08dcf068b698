"""The macros and views over versions of the model: no files, so that many histories are tried."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from oracle import Key, Oracle, Portion, Version

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import connect, overlay
from mazarbul_analytics.rules import names

__all__ = ["Ledger", "told"]


def uid(name: str) -> str:
    return names.entity_uid(names.name_key(name))


def told(*rows: tuple[Any, ...]) -> list[Version]:
    """Versions from (subject, predicate, object, from, to, recorded, superseded[, attributes]).

    Instants are years, or None; a trailing "retract" says what superseded it.
    """
    found = []
    for row in rows:
        subject, predicate, object_, start, end, recorded, superseded, *more = row
        ended_by = "retract" if "retract" in more else "other"
        attributes = next((m for m in more if isinstance(m, dict)), None)
        key = Key("project", names.name_key(subject), predicate, names.name_key(object_))
        portion = Portion(year(start), year(end), attributes, None)
        found.append(Version(key, portion, year(recorded), year(superseded), ended_by))
    return found


def year(number: int | None) -> datetime | None:
    return None if number is None else datetime(number, 1, 1, tzinfo=UTC)


class Ledger:
    """A connection with every object of `sql/`, over versions that are put into it."""

    def __init__(self) -> None:
        self.connection = connect()
        overlay(self.connection, None)

    def hold(self, source: Oracle | list[Version]) -> None:
        """Take the place of what was held."""
        versions = source.versions if isinstance(source, Oracle) else source
        rows, entities = [], {}
        for number, v in enumerate(versions, start=1):
            subject, object_ = uid(v.key.subject), uid(v.key.object)
            entities |= {subject: v.key.subject, object_: v.key.object}
            row = {
                "version": number,
                "relation_uid": names.relation_uid(v.key.scope, subject, v.key.predicate, object_),
                "scope": v.key.scope,
                "subject_uid": subject,
                "predicate": v.key.predicate,
                "object_uid": object_,
                "attributes": None if v.portion.attributes is None else str(v.portion.attributes),
                "valid_from": v.portion.start,
                "valid_to": v.portion.end,
                "recorded_at": v.recorded_at,
                "supersedes": [],
                "superseded_at": v.superseded_at,
                "source_event_uid": v.portion.event,
            }
            rows.append(row)
            if v.ended_by == "retract":
                taken = {"supersedes": [number], "removal": "retract"}
                rows.append(row | taken | {"version": -number, "recorded_at": v.superseded_at})
        people = [
            {"entity_uid": u, "name": n, "name_key": n, "type": "concept"}
            for u, n in entities.items()
        ]
        self._fill("relations_unsealed", pa.Table.from_pylist(rows, schema.TABLES["relations"]))
        self._fill("entities_files", pa.Table.from_pylist(people, schema.TABLES["entities"]))

    def _fill(self, view: str, table: pa.Table) -> None:
        self.connection.raw.register("rows_in", table)
        self.connection.execute(f"create or replace table {view}_rows as select * from rows_in")
        self.connection.raw.unregister("rows_in")
        self.connection.execute(f"create or replace view {view} as select * from {view}_rows")

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        return self.connection.page(sql, values or None).to_pylist()

    def put(self, name: str, table: Any) -> None:
        self.connection.raw.register(name, table)

    def threads(self, number: int) -> None:
        self.connection.execute(f"set threads = {number}")
