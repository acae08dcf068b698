"""The tools about relays: list_relays, get_relay, exists, list_replies, append_relay, gaps."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.mcp import outputs
from mazarbul_analytics.mcp.parameters import AS_OF, RELAY_ID, Parameter
from mazarbul_analytics.mcp.tool import Answer, Given, Tool, answer, decoded
from mazarbul_analytics.rules import answers
from mazarbul_analytics.rules.names import shown

if TYPE_CHECKING:
    from mazarbul_analytics import Store

__all__ = ["TOOLS"]


def _list(store: Store, given: Given) -> Answer:
    found = store.relays.list(**given)
    return Answer(answers.relay_list_text(found), decoded(answers.relay_list_object(found)))


def _get(store: Store, given: Given) -> Answer:
    data = store.relays.get(given["relay_id"])
    try:
        encoding, text = "utf-8", data.decode()
    except UnicodeDecodeError:
        encoding, text = "base64", base64.b64encode(data).decode()
    sha256 = hashlib.sha256(data).hexdigest()
    structured = {"relayId": given["relay_id"], "sha256": sha256}
    return Answer(text, {**structured, "encoding": encoding, "record": text})


def _exists(store: Store, given: Given) -> Answer:
    state = store.relays.exists(given["relay_id"])
    return Answer(state, {"relayId": given["relay_id"], "state": state})


def _replies(store: Store, given: Given) -> Answer:
    found = store.relays.replies(given["relay_id"])
    rows = [
        {
            "relayId": r["relay_id"],
            "via": r["via"],
            "kind": r["kind"],
            "sender": r["sender"],
            "depositedAt": r["deposited_at"],
        }
        for r in found.to_pylist()
    ]
    return answer(answers.encode({"relayId": given["relay_id"], "replies": rows}))


def _append(store: Store, given: Given) -> Answer:
    data = _bytes(given["record"], given["encoding"])
    return answer(answers.deposited(store.relays.deposit(data, relay_id=given["relay_id"])))


def _bytes(text: str, encoding: str) -> bytes:
    if encoding == "utf-8":
        return text.encode()
    if encoding != "base64":
        raise InvalidValue(f"encoding is utf-8 or base64: {shown(encoding)}", value=encoding)
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise InvalidValue(
            f"record is no base64: {shown(text)}\nLeave encoding out to give it as plain text.",
            value=text,
        ) from error


def _gaps(store: Store, given: Given) -> Answer:
    from mazarbul_analytics import reports  # noqa: PLC0415 - not every server reports

    return answer(reports.render(store.gaps(**given), "json"))


_MISSING = "known missing (a held record names it, its bytes are absent)"

TOOLS = (
    Tool(
        "list_relays",
        "Relays present and known missing",
        "List the numbered records (relays) of the archive: ids that are present, and ids that are "
        f"{_MISSING}. Ids that nobody names are in neither list. after is a mark and no cursor: "
        "everything after it comes back each time, whether it was seen before or not. Since when "
        "ids are missing and where numbers are skipped, gaps tells; for one id use exists.",
        (
            Parameter(
                "after",
                "after",
                "Only ids after this one, compared as texts; it need not be present.",
            ),
        ),
        outputs.relay_list,
        _list,
    ),
    Tool(
        "get_relay",
        "Read a relay",
        "Return the exact bytes of one relay that is present. One that is not held is an error "
        "that says whether it is known missing or unknown; exists asks that without an error.",
        (RELAY_ID,),
        outputs.record,
        _get,
    ),
    Tool(
        "exists",
        "Is a relay held?",
        f"Tell of one relay id whether it is PRESENT, KNOWN_MISSING ({_MISSING}) or UNKNOWN. For "
        "its bytes use get_relay, for all ids list_relays.",
        (RELAY_ID,),
        outputs.exists,
        _exists,
    ),
    Tool(
        "list_replies",
        "Relays that name a relay",
        "List the held relays whose parent or ref is the given id, one row a naming, by id; none "
        "is no error. The id itself need not be held: so you see who names a missing one.",
        (RELAY_ID,),
        outputs.replies,
        _replies,
    ),
    Tool(
        "append_relay",
        "Deposit a relay",
        "Deposit one record; its bytes are kept exactly and never overwritten. A record is "
        "'@p-e/x0', header lines 'name: value' (parent, ref, from, to, kind, parent-sha256), a "
        "blank line and a body. Without an id it takes the one it bears, else the next free "
        "number. The same bytes again are answered as a duplicate; other bytes under a held id are "
        "refused. A gap is filled only by a record with that id.",
        (
            Parameter("record", "record", "The whole record.", required=True),
            Parameter("id", "relay_id", "The id. Default: the one that the record bears, or next."),
            Parameter(
                "encoding",
                "encoding",
                "How record is written; base64 for bytes that are no UTF-8.",
                default="utf-8",
                choices=("utf-8", "base64"),
            ),
        ),
        outputs.appended,
        _append,
        writes=True,
        idempotent=False,
    ),
    Tool(
        "gaps",
        "Report gaps",
        "Report what the archive of relays lacks: each known-missing id with the records that name "
        "it, since when, and between which present ones it was issued; apart from that holes "
        "(numbers that nobody names either), records that came late, and records whose claim "
        "about their parent does not hold. For the bare lists of ids use list_relays.",
        (
            AS_OF,
            Parameter(
                "since",
                "since",
                "An instant, RFC 3339 UTC: gaps first named later are new, and closed lists those "
                "filled later. Default: every gap is new.",
            ),
            Parameter("olderThan", "older_than", "Only gaps known so long, as in 30m, 12h or 7d."),
            Parameter("last", "last", "Look for holes up to this id. Default: the last present."),
        ),
        outputs.gaps,
        _gaps,
    ),
)
