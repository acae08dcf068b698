"""The server: the official SDK on the one side, the tools on the other.

Calls run in threads, so that a long one holds up no other. Some reads run at a time; writes queue
here in the order in which they came, then for the store's lock among the machine's writers.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

import mazarbul_analytics
from mazarbul_analytics.errors import InvalidValue, WritesDisabled
from mazarbul_analytics.mcp import TOOLS, faults
from mazarbul_analytics.mcp.parameters import told
from mazarbul_analytics.mcp.tool import Answer, Tool
from mazarbul_analytics.mcp.wire import UNREADABLE, Readable
from mazarbul_analytics.rules.names import shown
from mazarbul_analytics.writing.session import refuse_when_disabled

if TYPE_CHECKING:
    from mazarbul_analytics import Store

__all__ = ["build", "serve_http", "serve_stdio"]

Context = ServerRequestContext[Any, Any]

READERS = 4
LOOPBACK = "127.0.0.1"

_INSTRUCTIONS = """\
A ledger of relations between entities on both time axes (when it held, when it was known), and an
archive of numbered records (relays). Nothing is ever changed or deleted in place. Start with
get_entity_context for a name you know, with entities to find one, with list_relays for the archive.
"""


def build(store: Store) -> Server[Any]:
    """Return a server of the tools over a store; every failure of a call is a tool error."""
    readers, writer = anyio.CapacityLimiter(READERS), anyio.CapacityLimiter(1)

    async def listed(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in TOOLS if _offered(tool)])

    async def called(_: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            tool = _tool(params.name)
            found: Answer = await anyio.to_thread.run_sync(
                partial(tool.run, store, params.arguments or {}),
                limiter=writer if tool.writes else readers,
            )
        except Exception as error:  # noqa: BLE001 - the one place where a call's failures end
            return _failed(error)
        text = types.TextContent(type="text", text=found.text)
        return types.CallToolResult(content=[text], structured_content=found.structured)

    server: Server[Any] = Server(
        "mazarbul",
        version=mazarbul_analytics.__version__,
        title="Mazarbul Analytics",
        instructions=_INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )
    server.middleware.append(_refuse_bad_form)
    return server


async def _refuse_bad_form(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer a call whose arguments are no object with a tool error.

    The SDK would answer with a protocol error.
    """
    params = ctx.params
    if ctx.method == "tools/call" and params is not None:
        given = params.get("arguments")
        if given == UNREADABLE:
            return _failed(InvalidValue(UNREADABLE))
        if given is not None and not isinstance(given, dict):
            return _failed(
                InvalidValue(f"arguments is an object of names and values: {told(given)}")
            )
    return await call_next(ctx)


def _offered(tool: Tool) -> bool:
    if not tool.writes:
        return True
    try:
        refuse_when_disabled()
    except WritesDisabled:
        return False
    return True


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output(),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _tool(name: str) -> Tool:
    """Return the tool of a name. Raises `WritesDisabled` before a writing one's arguments count."""
    for tool in TOOLS:
        if tool.name == name:
            if tool.writes:
                refuse_when_disabled()
            return tool
    known = ", ".join(tool.name for tool in TOOLS if _offered(tool))
    raise InvalidValue(f"there is no tool {shown(name)}\nThere are {known}.", value=name)


def _failed(error: Exception) -> types.CallToolResult:
    text = types.TextContent(type="text", text=faults.as_json(error))
    return types.CallToolResult(content=[text], is_error=True)


def serve_stdio(store: Store) -> None:
    """Serve one client over stdin and stdout, until it closes them.

    A call that is running then is finished, one that waits is dropped.
    """
    server = build(store)

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(Readable(incoming), outgoing, server.create_initialization_options())

    anyio.run(run)


def serve_http(store: Store, port: int, ready: Callable[[str], None]) -> None:
    """Serve any number of clients over streamable HTTP on a port of the loopback interface.

    Port 0 takes a free one; `ready` is called with the address once it is taken. Raises `OSError`
    where the port is in use.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        app = build(store).streamable_http_app(host=LOOPBACK)
        config = uvicorn.Config(app, log_level=logging.WARNING, lifespan="on")
        ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}/mcp")
        anyio.run(partial(uvicorn.Server(config).serve, sockets=[listening]))
