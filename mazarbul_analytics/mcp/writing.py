"""The tools that write to the ledger: relate_entities, unrelate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mazarbul_analytics.mcp import outputs
from mazarbul_analytics.mcp.parameters import SCOPE, Parameter
from mazarbul_analytics.mcp.tool import Answer, Given, Tool, answer
from mazarbul_analytics.rules import answers
from mazarbul_analytics.rules.switches import switched_on

if TYPE_CHECKING:
    from mazarbul_analytics import Store

__all__ = ["TOOLS"]


def _relate(store: Store, given: Given) -> Answer:
    done = store.relate(**given)
    return answer(done.to_json(compact=switched_on("COMPACT_RESPONSES")))


def _unrelate(store: Store, given: Given) -> Answer:
    return answer(answers.removed(store.unrelate(**given)))


_KEY = (
    Parameter(
        "fromEntity",
        "subject",
        "The subject: a display name, entities/{uid} or a bare uid.",
        required=True,
    ),
    Parameter("relation", "predicate", "How the two are related, as in works_at.", required=True),
    Parameter(
        "toEntity",
        "object",
        "The object: a display name, entities/{uid} or a bare uid.",
        required=True,
    ),
)
_TYPES = "person, organization, project, location, concept, preference, fact or another word"

TOOLS = (
    Tool(
        "relate_entities",
        "Record a relation",
        "Record that a relation holds between two entities from now on: fromEntity relation "
        "toEntity, as in Jeff works_at Acme Corp. Entities that do not exist are created; a name "
        "matches in any case. What holds already is answered as it is and not written again, so "
        "calling it twice is safe. It goes to the scope project. Nothing else is ended by it: when "
        "a relation no longer holds, call unrelate.",
        (
            *_KEY,
            Parameter(
                "fromEntityType",
                "subject_type",
                f"Type of fromEntity if it is new: {_TYPES}. Default: as the relation implies, "
                "else concept. An existing entity keeps its type.",
            ),
            Parameter(
                "toEntityType",
                "object_type",
                "Type of toEntity if it is new, likewise.",
            ),
        ),
        outputs.related,
        _relate,
        writes=True,
    ),
    Tool(
        "unrelate",
        "End a relation",
        "Record that a relation no longer holds: from now on, or over the period [validFrom, "
        "validTo) that you give. Nothing is deleted: what held before the period still shows with "
        "at, and what was known before this call with asOf. The status is unchanged where it did "
        "not hold in the period. To record the new state afterwards use relate_entities.",
        (
            *_KEY,
            Parameter(
                "validFrom",
                "valid_from",
                "First instant at which it does not hold, RFC 3339 UTC or a date; -infinity for "
                "always. Default: now.",
            ),
            Parameter(
                "validTo",
                "valid_to",
                "First instant at which it may hold again, RFC 3339 UTC or a date. Default: never.",
            ),
            SCOPE,
        ),
        outputs.removed,
        _unrelate,
        writes=True,
        destructive=True,
    ),
)
