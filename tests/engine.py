"""The store through the model's eyes: calls go in, versions come out in the model's words."""

from __future__ import annotations

import csv
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from oracle import ALWAYS, Call, Key, Oracle, Outcome, Version
from plainwords import attributes_of, name_key

from mazarbul_analytics.errors import InvalidValue, UnknownEntity, UnknownRelation

__all__ = [
    "coalesced",
    "counts",
    "history",
    "import_rows",
    "instant_text",
    "instants",
    "key_of",
    "listed",
    "listed_by_model",
    "rejects",
    "rows",
    "tell",
    "versions",
    "write_csv",
]

_NO_RELATION = "00000000-0000-8000-a000-000000000000"
_HISTORY = """
    select version, relation_uid, scope, subject, predicate, object, attributes, valid_from,
           valid_to, source_event_uid, recorded_at, superseded_at
    from relation_history
"""


def rows(result: Any) -> list[dict[str, Any]]:
    """Any tabular answer of the store as dicts."""
    if hasattr(result, "to_arrow_table"):
        result = result.to_arrow_table()
    return pa.table(result).to_pylist()


def instant_text(instant: datetime | None) -> str | None:
    """Spell an instant as people type it."""
    return None if instant is None else instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _start_text(start: Any) -> str | None:
    return "-infinity" if start is ALWAYS else instant_text(start)


def tell(store: Any, call: Call) -> Outcome:
    """Make one single call."""
    try:
        if call.op == "relate":
            done = store.relate(
                call.subject,
                call.predicate,
                call.object,
                attributes=call.attributes,
                valid_from=_start_text(call.valid_from),
                valid_to=instant_text(call.valid_to),
                scope=call.scope,
                source_event_uid=call.event,
                exclusive=call.exclusive,
            )
        elif call.op == "unrelate":
            done = store.unrelate(
                call.subject,
                call.predicate,
                call.object,
                valid_from=_start_text(call.valid_from),
                valid_to=instant_text(call.valid_to),
                scope=call.scope,
            )
        else:
            wanted = Oracle.key(call)
            uids = {row["relation_uid"] for row in history(store) if key_of(row) == wanted}
            done = store.retract(uids.pop() if uids else _NO_RELATION)
    except InvalidValue as error:
        return Outcome("rejected", (error.reason,))
    except (UnknownEntity, UnknownRelation):
        return Outcome("rejected", ("unknown_relation",))
    return Outcome(done.status)


def write_csv(path: Path, calls: list[Call], *, recorded: bool = False) -> Path:
    """Write calls as the rows of a CSV; row n stands in line n + 2."""
    header = ["from", "predicate", "to", "valid_from", "valid_to", "attributes"]
    header += ["source_event_uid", "scope", "op"]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*header, "recorded_at"] if recorded else header)
        for call in calls:
            attributes = "" if call.attributes is None else json.dumps(call.attributes)
            cells = [call.subject, call.predicate, call.object, _start_text(call.valid_from)]
            cells += [instant_text(call.valid_to), attributes, call.event, call.scope]
            cells += ["" if call.op == "relate" else call.op]
            cells += [instant_text(call.recorded_at)] if recorded else []
            out.writerow(cells)
    return path


def import_rows(store: Any, path: Path, calls: list[Call], **options: Any) -> Any:
    """Import calls as one CSV, written to `path` first."""
    recorded = options.get("trust_recorded_at", False)
    return store.import_relations(str(write_csv(path, calls, recorded=recorded)), **options)


def counts(report: Any) -> Counter[str]:
    """Give the counts of an import under the model's words."""
    found = Counter(
        created=report.created,
        duplicate=report.duplicates,
        corrected=report.corrected,
        removed=report.removed,
        unchanged=report.unchanged,
        rejected=report.rejected,
    )
    assert found.total() == report.rows
    return +found


def rejects(report: Any) -> list[tuple[int, str]]:
    """Line and reason of each rejected row, in line order."""
    return sorted((row["line"], row["reason"]) for row in report.rejects.to_dicts())


def key_of(row: dict[str, Any]) -> Key:
    """Give what makes the relation of a row that relation."""
    return Key(row["scope"], name_key(row["subject"]), row["predicate"], name_key(row["object"]))


def history(store: Any) -> list[dict[str, Any]]:
    """Every version that the store holds, with its number."""
    return rows(store.sql(_HISTORY))


def instants(found: list[dict[str, Any]]) -> list[datetime]:
    """List the transaction instants at which a history changed."""
    both = [row[name] for row in found for name in ("recorded_at", "superseded_at")]
    return sorted({instant for instant in both if instant is not None})


def versions(source: Oracle | list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Put a history, of a store or of the model, in one order.

    Each version as key, start, end, attributes, event, recorded_at, superseded_at.
    """
    if isinstance(source, Oracle):
        found = [(v.key, *v.portion, v.recorded_at, v.superseded_at) for v in source.versions]
    else:
        found = [
            (
                key_of(row),
                row["valid_from"],
                row["valid_to"],
                attributes_of(row["attributes"]),
                row["source_event_uid"],
                row["recorded_at"],
                row["superseded_at"],
            )
            for row in source
        ]
    return sorted(((f[0], *map(_plain, f[1:])) for f in found), key=repr)


def listed(row: dict[str, Any]) -> tuple[Any, ...]:
    """Put a row of `Store.relations` in the form of `versions`, with direction and status."""
    found = (
        row["valid_from"],
        row["valid_to"],
        attributes_of(row["attributes"]),
        row["source_event_uid"],
        row["recorded_at"],
        row["superseded_at"],
    )
    return (row["direction"], key_of(row), *map(_plain, found), row["status"])


def listed_by_model(
    direction: str, version: Version, status: str, as_of: datetime | None
) -> tuple[Any, ...]:
    """Do the same with the model's: an end that `as_of` hides is not shown."""
    end = version.superseded_at
    end = None if end is not None and as_of is not None and end > as_of else end
    found = (*version.portion, version.recorded_at, end)
    return (direction, version.key, *map(_plain, found), status)


def _plain(value: Any) -> Any:
    return instant_text(value) if isinstance(value, datetime) else value


def coalesced(periods: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Join touching periods (…, start, end) that are equal before; an end of None is open."""
    joined: list[tuple[Any, ...]] = []
    for *what, start, end in sorted(periods, key=lambda p: (*map(str, p[:-2]), str(p[-2] or ""))):
        if joined and joined[-1][:-2] == tuple(what) and joined[-1][-1] == start:
            joined[-1] = (*what, joined[-1][-2], end)
        else:
            joined.append((*what, start, end))
    return joined
