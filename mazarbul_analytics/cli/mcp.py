"""The command mcp: serve the tools for agents."""

from __future__ import annotations

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.messages import say
from mazarbul_analytics.cli.options import Session, pass_session

__all__ = ["mcp"]


@click.command(cls=Command)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve streamable HTTP on this port of 127.0.0.1; 0 takes a free one.  [default: stdio]",
)
@pass_session
def mcp(session: Session, *, port: int | None) -> None:
    """Serve the store to agents over the Model Context Protocol.

    An agent's client starts it and talks to it over stdin and stdout. It needs the extra:
    pip install 'mazarbul-analytics[mcp]'. With ENABLE_MEMORY=false it serves no writing tools.

    Example:
      mazarbul --store mazarbul-store mcp
    """
    try:
        from mazarbul_analytics.mcp import server  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise click.ClickException(
            f"the command mcp needs the extra [mcp] ({error})\n"
            "Install it: pip install 'mazarbul-analytics[mcp]'"
        ) from error
    store = session.open()
    if port is None:
        server.serve_stdio(store)
    else:
        server.serve_http(store, port, lambda address: say(f"serving {address}"))
