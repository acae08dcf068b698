"""The JSON shapes of the answers: pure functions of results, for every face that speaks JSON.

Keys are camelCase, instants RFC 3339 in UTC with `Z`, unknown and open are null. Attributes are
spliced in as the store's own text, so a whole number of any size stays exact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Sized
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mazarbul_analytics.rules import instants

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Fragment",
    "attributes",
    "context_object",
    "deposited",
    "encode",
    "import_object",
    "relate_compact",
    "relate_verbose",
    "relations_object",
    "relay_list_object",
    "relay_list_text",
    "removed",
]

_SHORT = 8
"""Ids in compact answers are cut to this many characters."""

_text = json.JSONEncoder(ensure_ascii=False).encode


class _Entity(Protocol):
    @property
    def uid(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


class _Related(Protocol):
    @property
    def relation_uid(self) -> str: ...
    @property
    def relation_text(self) -> str: ...
    @property
    def subject(self) -> _Entity: ...
    @property
    def object(self) -> _Entity: ...


class _Removed(Protocol):
    @property
    def status(self) -> str: ...
    @property
    def relation_uid(self) -> str: ...


class _Listing(Protocol):
    @property
    def entity(self) -> _Entity: ...
    @property
    def at(self) -> datetime: ...
    @property
    def as_of(self) -> datetime | None: ...
    @property
    def table(self) -> pa.Table: ...
    @property
    def total(self) -> int: ...
    @property
    def truncated(self) -> bool: ...


class _Deposited(Protocol):
    @property
    def status(self) -> str: ...
    @property
    def relay_id(self) -> str: ...
    @property
    def sha256(self) -> str: ...


class _RelayList(Protocol):
    @property
    def present(self) -> list[str]: ...
    @property
    def known_missing(self) -> list[str]: ...
    @property
    def after(self) -> str | None: ...


class Fragment(NamedTuple):
    """A piece of JSON text that `encode` takes over as it is."""

    json: str


def encode(value: object) -> str:
    """Return `value` as JSON without white space; `Fragment`s are spliced, instants formatted."""
    if isinstance(value, Fragment):
        return value.json
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_text(str(k))}:{encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(encode, value)) + "]"
    if isinstance(value, datetime):
        return _text(instants.format(value))
    return _text(value)


def attributes(text: str | None) -> Fragment | str | None:
    """Return attributes to splice in; a text that is no JSON object stays a text, None stays None.

    Within the store it always is one; a column of that name in a query of the user's may not be.
    """
    if text is None:
        return None
    if text[:1] != "{":
        return text
    try:
        # digits are only looked at: int() refuses more than 4,300 of them
        json.loads(text, parse_int=str, parse_float=str)
    except ValueError:
        return text
    return Fragment(text)


def relate_compact(done: _Related) -> str:
    """Return the short answer of `relate`, without white space, ids cut to 8 characters."""
    return encode(
        {
            "ok": True,
            "rel": done.relation_uid[:_SHORT],
            "from": _short(done.subject),
            "to": _short(done.object),
        }
    )


def _short(entity: _Entity) -> dict[str, str]:
    return {"id": entity.uid[:_SHORT], "n": entity.name, "t": entity.type}


def relate_verbose(done: _Related) -> str:
    """Return the long answer of `relate`, two-space JSON; a duplicate reads as one created."""
    words = (done.subject.name, done.relation_text, done.object.name)
    return _indented(
        {
            "success": True,
            "message": f"Created relation: {' '.join(words)}",
            "relationId": done.relation_uid,
            "fromEntity": _whole(done.subject, "id"),
            "toEntity": _whole(done.object, "id"),
        }
    )


def _whole(entity: _Entity, uid: str = "uid") -> dict[str, str]:
    return {uid: entity.uid, "name": entity.name, "type": entity.type}


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def removed(done: _Removed, *, compact: bool = True) -> str:
    """Return the answer of `unrelate` and `retract`; the status is `removed` or `unchanged`."""
    if compact:
        return encode({"ok": True, "status": done.status, "rel": done.relation_uid[:_SHORT]})
    return _indented({"success": True, "status": done.status, "relationId": done.relation_uid})


def relations_object(listing: _Listing) -> str:
    """Return the one object of `relations --format json`."""
    return _listing(listing, {"relations": [_relation(r) for r in listing.table.to_pylist()]})


def context_object(listing: _Listing) -> str:
    """Return the same with the two directions apart: `outgoing` and `incoming`."""
    rows = listing.table.to_pylist()
    return _listing(
        listing,
        {
            side: [_relation(row) for row in rows if row["direction"] == side]
            for side in ("outgoing", "incoming")
        },
    )


def _listing(listing: _Listing, rows: Mapping[str, object]) -> str:
    return encode(
        {
            "entity": _whole(listing.entity),
            "at": listing.at,
            "asOf": listing.as_of,
            **rows,
            "total": listing.total,
            "truncated": listing.truncated,
        }
    )


def _relation(row: Mapping[str, Any]) -> dict[str, object]:
    return {
        "relationUid": row["relation_uid"],
        "direction": row["direction"],
        "predicate": row["predicate"],
        **{
            end: {"uid": row[f"{end}_uid"], "name": row[end], "type": row[f"{end}_type"]}
            for end in ("subject", "object")
        },
        "attributes": attributes(row["attributes"]),
        "scope": row["scope"],
        "validFrom": row["valid_from"],
        "validTo": row["valid_to"],
        "recordedAt": row["recorded_at"],
        "supersededAt": row["superseded_at"],
        "status": row["status"],
        "sourceEventUid": row["source_event_uid"],
        "version": row["version"],
    }


def relay_list_text(found: _RelayList) -> str:
    """Return the two lines of `relays list`; an empty list is a dash."""
    return "\n".join(
        f"{name} ({len(ids)}): {' '.join(ids) or '—'}"
        for name, ids in (("present", found.present), ("known missing", found.known_missing))
    )


def relay_list_object(found: _RelayList) -> str:
    """Return the one object of `relays list --format json`."""
    ids = {"present": found.present, "knownMissing": found.known_missing, "after": found.after}
    return json.dumps(ids, ensure_ascii=False, separators=(",", ":"))


def deposited(done: _Deposited) -> str:
    """Return the answer of `relays deposit`; the status is `created` or `duplicate`."""
    return encode(
        {"ok": True, "status": done.status, "relay": done.relay_id, "sha256": done.sha256}
    )


def import_object(report: Any, *, dry_run: bool = False) -> str:  # noqa: ANN401 - either report
    """Return an import's summary as one object; counts add up to `rows`."""
    counts = ("rows", "created", "duplicates", "corrected", "removed", "unchanged", "rejected")
    seconds = float(report.seconds)
    return encode(
        {
            **{name: getattr(report, name) for name in counts if hasattr(report, name)},
            "seconds": round(seconds, 3),
            "rowsPerSecond": round(report.rows / seconds) if seconds > 0 else None,
            "ignoredColumns": _listed(getattr(report, "ignored_columns", ())),
            **(
                {"ignoredFiles": _listed(report.ignored_files)}
                if hasattr(report, "ignored_files")
                else {}
            ),
            "skipped": _listed(getattr(report, "skipped", ())),
            "typeConflicts": count(getattr(report, "type_conflicts", 0)),
            "lostDigits": count(getattr(report, "lost_digits", 0)),
            "dryRun": dry_run,
        }
    )


def count(found: int | Sized) -> int:
    """Return how many there are, of a number or of the things themselves."""
    return found if isinstance(found, int) else len(found)


def _listed(found: Sequence[object]) -> list[str]:
    return [str(item) for item in found]
