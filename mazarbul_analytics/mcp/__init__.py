"""The tools for agents, over the Model Context Protocol (extra `[mcp]`).

The tools know nothing of the protocol, and `server` knows nothing of the store: only that module
imports the SDK, so all others load without the extra.
"""

from __future__ import annotations

from mazarbul_analytics.mcp import archive, reading, writing
from mazarbul_analytics.mcp.tool import Answer, Tool

__all__ = ["TOOLS", "Answer", "Tool"]

TOOLS: tuple[Tool, ...] = (*reading.TOOLS, *writing.TOOLS, *archive.TOOLS)
"""Every tool, in the order in which they are listed."""
