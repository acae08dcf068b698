"""The tools that read the ledger: relations, get_entity_context, neighbors, entities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mazarbul_analytics.mcp import outputs
from mazarbul_analytics.mcp.parameters import (
    AS_OF,
    AT,
    ENTITY,
    PREDICATES,
    SCOPES_READ,
    Parameter,
    limit,
)
from mazarbul_analytics.mcp.tool import Answer, Given, Tool, answer
from mazarbul_analytics.rules import answers

if TYPE_CHECKING:
    import pyarrow as pa

    from mazarbul_analytics import Store

__all__ = ["TOOLS"]


def _relations(store: Store, given: Given) -> Answer:
    return answer(answers.relations_object(store.relations(**given)))


def _context(store: Store, given: Given) -> Answer:
    return answer(answers.context_object(store.relations(**given)))


def _neighbors(store: Store, given: Given) -> Answer:
    asked = dict(given)
    most = asked.pop("limit")
    found = store.neighbors(**asked)
    rows = [
        {
            "entity": {"uid": r["entity_uid"], "name": r["entity"], "type": r["entity_type"]},
            "distance": r["distance"],
            "path": r["path"],
            "pathUids": r["path_uids"],
            "relationUids": r["relation_uids"],
        }
        for r in found.slice(0, most).to_pylist()
    ]
    return answer(answers.encode({"neighbors": rows, **_counts(found, most)}))


def _entities(store: Store, given: Given) -> Answer:
    found = store.entities(like=given["like"])
    rows = [
        {
            "uid": r["entity_uid"],
            "name": r["name"],
            "type": r["type"],
            "recordedAt": r["recorded_at"],
        }
        for r in found.slice(0, given["limit"]).to_pylist()
    ]
    return answer(answers.encode({"entities": rows, **_counts(found, given["limit"])}))


def _counts(found: pa.Table, most: int) -> dict[str, Any]:
    return {"total": found.num_rows, "truncated": found.num_rows > most}


TOOLS = (
    Tool(
        "relations",
        "Relations of an entity",
        "List the relations of one entity, in both directions, each tagged outgoing (the entity is "
        "its subject) or incoming. By default it shows what holds now, by all that is recorded, in "
        "the scopes project and personal, latest validFrom first, at most 50. With at you ask what "
        "held at another time, with asOf what was known at another time; each leaves the other at "
        "its default, and both together answer 'what did we believe on day X about day Y'. "
        "includeInactive lists every version ever recorded, also ended, future, superseded and "
        "retracted ones, each with its status: use it to see how a fact changed. To find the exact "
        "name of an entity use entities; for what lies more than one step away use neighbors; for "
        "outgoing and incoming apart use get_entity_context.",
        (
            ENTITY,
            AT,
            AS_OF,
            limit("relations, over both directions together"),
            SCOPES_READ,
            PREDICATES,
            Parameter(
                "includeInactive",
                "include_inactive",
                "Also list what does not hold at that instant or was superseded or retracted; "
                "asOf still hides what was recorded later.",
                "flag",
                default=False,
            ),
        ),
        outputs.relations,
        _relations,
    ),
    Tool(
        "get_entity_context",
        "An entity and what surrounds it",
        "Show what an entity is (uid, name, type) and what holds of it now, outgoing and incoming "
        "relations in two lists. Use it first when a name comes up in conversation. The same "
        "defaults as relations, which also filters by predicate and shows what no longer holds; "
        "for more than one step use neighbors.",
        (ENTITY, AT, AS_OF, SCOPES_READ, limit("relations, over both directions together")),
        outputs.context,
        _context,
    ),
    Tool(
        "neighbors",
        "Entities within some steps",
        "List every entity that is reachable from one within depth steps, over relations that hold "
        "at one instant (default now), nearest first, each once with its distance and one shortest "
        "path. Use it to find how two entities are connected, or who is affected by a change. For "
        "one step with attributes and dates use relations.",
        (
            ENTITY,
            Parameter("depth", "depth", "How many steps to go.", "whole", default=2),
            AT,
            AS_OF,
            PREDICATES,
            SCOPES_READ,
            Parameter(
                "direction",
                "direction",
                "Go from subject to object (outgoing), from object to subject (incoming), or "
                "either way (both).",
                default="both",
                choices=("outgoing", "incoming", "both"),
            ),
            limit("entities"),
        ),
        outputs.neighbors,
        _neighbors,
    ),
    Tool(
        "entities",
        "Search entities by name",
        "List entities whose name contains a text, in any case, by name; all of them without one. "
        "There are no wildcards. Use it when you do not know the exact name, or when a name means "
        "several entities and you need the uid. It shows no relations: use relations or "
        "get_entity_context with the name or entities/{uid}.",
        (
            Parameter("like", "like", "The text that the name contains. Default: every name."),
            limit("entities"),
        ),
        outputs.entities,
        _entities,
    ),
)
