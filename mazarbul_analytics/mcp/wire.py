"""Lines that are JSON to their sender and that the SDK's parser refuses.

It drops them, and the client would wait for an answer for ever. They are half surrogate pairs, as
a cut emoji leaves them, numbers of over 4,300 digits, and deep nesting.
"""

from __future__ import annotations

import json
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from pydantic import ValidationError

from mazarbul_analytics.mcp.tool import whole

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream

__all__ = ["UNREADABLE", "Readable"]

UNREADABLE = (
    "the arguments cannot be read: they hold half of a character (a surrogate without its pair), a "
    "number of thousands of digits, or hundreds of nested values"
)
"""What stands for the arguments of such a call, and the error that answers it."""

Item = SessionMessage | Exception


class Readable:
    """A stream of messages in which such a call goes on with `UNREADABLE` for its arguments."""

    def __init__(self, stream: ReadStream[Item]) -> None:
        self._stream = stream

    @property
    def last_context(self) -> Any:  # noqa: ANN401 - the SDK's own
        """The context of the newest message's sender, where the stream has it."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Item:
        """Return the next message."""
        return _mended(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        return _mended(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, traceback)


def _mended(item: Item) -> Item:
    if not isinstance(item, ValidationError):
        return item
    try:
        line = item.errors(include_url=False)[0]["input"]
        found = json.loads(line, parse_int=whole)
        params = {**found["params"], "arguments": UNREADABLE}
        json.dumps(params, ensure_ascii=False).encode()  # all else of it can be read
        if found["method"] == "tools/call":
            request = JSONRPCRequest(
                jsonrpc="2.0", id=found["id"], method="tools/call", params=params
            )
            return SessionMessage(request)
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return item
