"""The two faces that answer alike: the command line in this process, the tools over stdio.

A face takes a tool's name and arguments, and gives the answer's object, or the first line of the
error as a text that begins with `error: `.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal
from click.testing import CliRunner
from mcp import Client, StdioServerParameters

from mazarbul_analytics.cli import cli

__all__ = ["Agent", "CommandLine", "first_line", "parameters", "run", "served"]

SWITCHES = ("ENABLE_MEMORY", "COMPACT_RESPONSES", "MAZARBUL_STORE")
COMMANDS = {
    "relations": ["relations", "--format", "json"],
    "relate_entities": ["relate"],
    "list_relays": ["relays", "list", "--format", "json"],
}
POSITIONS = ("entity", "fromEntity", "relation", "toEntity")
OPTIONS = {
    "at": "--at",
    "asOf": "--as-of",
    "limit": "--limit",
    "scopes": "--scope",
    "predicates": "--predicate",
    "includeInactive": "--include-inactive",
    "fromEntityType": "--from-type",
    "toEntityType": "--to-type",
    "after": "--after",
}


def run(store, *args, **env):
    """Run one command in this process and return what it gave."""
    clean = dict.fromkeys(SWITCHES)
    return CliRunner(env={**clean, **env}).invoke(cli, ["--store", str(store), *map(str, args)])


def first_line(text):
    return "error: " + text.splitlines()[0]


class CommandLine:
    def __init__(self, store):
        self.store = store

    def call(self, tool, arguments):
        words = [arguments[name] for name in POSITIONS if name in arguments]
        options = []
        for name, option in OPTIONS.items():
            given = arguments.get(name)
            if given is True:
                options.append(option)
            elif given is not None and given is not False:
                for value in given if isinstance(given, list) else [given]:
                    options += [option, value]
        result = run(self.store, *COMMANDS[tool], *options, "--", *words)
        if result.exit_code:
            return result.stderr.splitlines()[0]
        return json.loads(result.stdout)


class Agent:
    """A client of the official SDK, called from ordinary code."""

    def __init__(self, portal, client):
        self.portal = portal
        self.client = client

    def ask(self, tool, arguments=None):
        """Return the whole result; the client has checked it against the output schema."""
        return self.portal.call(self.client.call_tool, tool, arguments or {})

    def call(self, tool, arguments=None):
        result = self.ask(tool, arguments)
        if result.is_error:
            return first_line(json.loads(result.content[0].text)["error"])
        return result.structured_content

    def tools(self):
        return {t.name: t for t in self.portal.call(self.client.list_tools).tools}


def parameters(store, **env):
    """Return how a client starts the server."""
    args = ["-m", "mazarbul_analytics.cli", "--store", str(store), "mcp"]
    return StdioServerParameters(command=sys.executable, args=args, env=env)


@contextmanager
def served(store, **env):
    """Start a server over stdio and give an `Agent` that is connected to it."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(parameters(store, **env))) as client,
    ):
        yield Agent(portal, client)
