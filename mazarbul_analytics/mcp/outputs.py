"""The output schemas: what each tool's structured answer holds."""

from __future__ import annotations

from typing import Any

from mazarbul_analytics.rules.switches import switched_on

__all__ = [
    "appended",
    "context",
    "entities",
    "exists",
    "gaps",
    "neighbors",
    "record",
    "related",
    "relations",
    "relay_list",
    "removed",
    "replies",
]

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_INSTANT: Schema = {"type": "string", "format": "date-time"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_INSTANT_OR_NULL: Schema = {"type": ["string", "null"], "format": "date-time"}


def _object(**properties: Schema) -> Schema:
    """Return an object of which every property is required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _says(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_IDS = _list(_TEXT)
_ENTITY = _object(uid=_TEXT, name=_TEXT, type=_TEXT)
_TOTAL = _says(_COUNT, "How many there are before the cut at limit.")
_RELATION = _object(
    relationUid=_TEXT,
    direction={"enum": ["outgoing", "incoming"]},
    predicate=_TEXT,
    subject=_ENTITY,
    object=_ENTITY,
    attributes={"type": ["object", "null"]},
    scope=_TEXT,
    validFrom=_says(_INSTANT_OR_NULL, "Included; null is always."),
    validTo=_says(_INSTANT_OR_NULL, "Excluded; null is open."),
    recordedAt=_INSTANT,
    supersededAt=_INSTANT_OR_NULL,
    status={"enum": ["live", "future", "expired", "superseded", "retracted"]},
    sourceEventUid=_TEXT_OR_NULL,
    version=_COUNT,
)
_ASKED = {
    "entity": _ENTITY,
    "at": _says(_INSTANT, "The instant of valid time that was used."),
    "asOf": _says(_INSTANT_OR_NULL, "Null: all that is recorded."),
}


def relations() -> Schema:
    """Return the schema of `relations`."""
    whole = _object(**_ASKED, relations=_list(_RELATION), total=_TOTAL, truncated=_FLAG)
    return {**whole, "required": ["relations"]}


def context() -> Schema:
    """Return the schema of `get_entity_context`."""
    sides = {"outgoing": _list(_RELATION), "incoming": _list(_RELATION)}
    return _object(**_ASKED, **sides, total=_TOTAL, truncated=_FLAG)


def neighbors() -> Schema:
    """Return the schema of `neighbors`."""
    found = _object(
        entity=_ENTITY,
        distance=_says(_COUNT, "Steps from the entity asked about."),
        path=_says(_IDS, "The names on one shortest way, both ends in."),
        pathUids=_IDS,
        relationUids=_says(_IDS, "The relation of each step."),
    )
    return _object(neighbors=_list(found), total=_TOTAL, truncated=_FLAG)


def entities() -> Schema:
    """Return the schema of `entities`."""
    found = _object(uid=_TEXT, name=_TEXT, type=_TEXT, recordedAt=_INSTANT)
    return _object(entities=_list(found), total=_TOTAL, truncated=_FLAG)


def related() -> Schema:
    """Return the schema of `relate_entities`, compact or verbose as the environment says."""
    if switched_on("COMPACT_RESPONSES"):
        short = _object(
            id=_says(_TEXT, "The first 8 characters of the uid."),
            n=_says(_TEXT, "The name."),
            t=_says(_TEXT, "The type."),
        )
        rel = _says(_TEXT, "The first 8 characters of the relation's uid.")
        return _object(ok=_FLAG, rel=rel, **{"from": short, "to": short})
    whole = _object(id=_TEXT, name=_TEXT, type=_TEXT)
    return _object(success=_FLAG, message=_TEXT, relationId=_TEXT, fromEntity=whole, toEntity=whole)


def removed() -> Schema:
    """Return the schema of `unrelate`."""
    return _object(ok=_FLAG, status={"enum": ["removed", "unchanged"]}, rel=_TEXT)


def relay_list() -> Schema:
    """Return the schema of `list_relays`."""
    return _object(
        present=_says(_IDS, "Ids whose records are held."),
        knownMissing=_says(_IDS, "Ids that a held record names and that are not held."),
        after=_says(_TEXT_OR_NULL, "The mark that was given."),
    )


def record() -> Schema:
    """Return the schema of `get_relay`."""
    return _object(
        relayId=_TEXT,
        sha256=_says(_TEXT, "Of the record's bytes."),
        encoding={"enum": ["utf-8", "base64"]},
        record=_says(_TEXT, "The exact bytes, as text, or in base64 where they are no UTF-8."),
    )


def exists() -> Schema:
    """Return the schema of `exists`."""
    return _object(relayId=_TEXT, state={"enum": ["PRESENT", "KNOWN_MISSING", "UNKNOWN"]})


def replies() -> Schema:
    """Return the schema of `list_replies`."""
    found = _object(
        relayId=_TEXT,
        via={"enum": ["parent", "ref"]},
        kind=_TEXT_OR_NULL,
        sender=_TEXT_OR_NULL,
        depositedAt=_INSTANT,
    )
    return _object(relayId=_TEXT, replies=_list(found))


def appended() -> Schema:
    """Return the schema of `append_relay`."""
    return _object(ok=_FLAG, status={"enum": ["created", "duplicate"]}, relay=_TEXT, sha256=_TEXT)


def gaps() -> Schema:
    """Return the schema of `gaps`."""
    missing = _object(
        relayId=_TEXT,
        namedBy=_IDS,
        firstNamedAt=_INSTANT,
        ageSeconds=_COUNT,
        previousPresent=_TEXT_OR_NULL,
        nextPresent=_TEXT_OR_NULL,
        issuedAfter=_INSTANT_OR_NULL,
        issuedBefore=_INSTANT_OR_NULL,
        isNew=_FLAG,
    )
    closed = _object(relayId=_TEXT, firstNamedAt=_INSTANT_OR_NULL, depositedAt=_INSTANT)
    late = _object(relayId=_TEXT, firstNamedAt=_INSTANT, depositedAt=_INSTANT, delaySeconds=_COUNT)
    claim = _object(
        relayId=_TEXT,
        parent=_TEXT_OR_NULL,
        continuity={"enum": ["DIVERGES", "UNANCHORED"]},
        claimed=_TEXT,
        held=_TEXT_OR_NULL,
    )
    return _object(
        asOf=_INSTANT,
        present=_says(_COUNT, "How many relays are held."),
        knownMissing=_list(missing),
        closed=_list(closed),
        late=_list(late),
        holes=_list(_object(first=_TEXT, last=_TEXT, count=_COUNT)),
        continuity=_list(claim),
    )
