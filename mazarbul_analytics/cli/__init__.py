"""The command line: parse, make one library call, hand the result to one output call.

A family of commands is one file, imported when one of its commands is called; nothing here imports
an engine, so that `mazarbul --help` answers at once. Errors reach people in one place, `Root.main`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from mazarbul_analytics.cli.commands import Family, LazyGroup
from mazarbul_analytics.cli.messages import ExitCode, fail
from mazarbul_analytics.cli.options import Session

__all__ = ["ExitCode", "cli", "main"]

_HERE = "mazarbul_analytics.cli"

_FAMILIES = (
    Family(
        "Write",
        f"{_HERE}.write",
        {
            "init": "Make an empty store.",
            "relate": "Record that a relation holds between two entities.",
            "unrelate": "Take a portion of a relation away, by default from now on.",
            "retract": "Take all of a relation away, as recorded in error.",
        },
    ),
    Family(
        "Import",
        f"{_HERE}.load",
        {"import": "Import files of relations, entities or relays."},
    ),
    Family(
        "Read",
        f"{_HERE}.read",
        {
            "relations": "List an entity's relations, both directions.",
            "history": "List every version of an entity's relations.",
            "entities": "List the entities.",
            "entity": "Show the entity that a reference means.",
            "sql": "Run one SELECT over the views and macros.",
        },
    ),
    Family(
        "Analyse",
        f"{_HERE}.analysis",
        {
            "neighbors": "List who is reachable from an entity within some steps.",
            "changes": "List what was learned between two transaction instants.",
            "activity": "Count the live relations at each instant of a grid, by predicate.",
            "point-in-time": "Join a file of probes to the relations live at each, as known then.",
        },
    ),
    Family(
        "Relays",
        f"{_HERE}.relays",
        {"relays": "Keep numbered records byte for byte, and know which are missing."},
    ),
    Family(
        "Report",
        f"{_HERE}.gaps",
        {"gaps": "Report which relays are known to be missing, since when and between what."},
    ),
    Family(
        "Serve",
        f"{_HERE}.mcp",
        {"mcp": "Serve the store to agents over the Model Context Protocol."},
    ),
    Family(
        "Keep",
        f"{_HERE}.admin",
        {
            "catalog": "Renew the door for BI tools, or extract a copy of it.",
            "publish": "Copy the store into PostgreSQL, for tools that speak nothing else.",
            "optimize": "Rewrite the store's files sorted, for fast reads.",
            "vacuum": "Delete files that no snapshot names any more.",
            "check": "Verify the store.",
            "info": "Show counts and sizes.",
        },
    ),
)


class Root(LazyGroup):
    """The root group: maps every failure to one or two lines on stderr and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401 - click's signature
    ) -> Any:  # noqa: ANN401
        """Run a command line and leave by `SystemExit` with its exit code."""
        if not standalone_mode or "_MAZARBUL_COMPLETE" in os.environ:
            return super().main(args, prog_name, complete_var, standalone_mode, **extra)
        sys.exit(self._run(sys.argv[1:] if args is None else list(args), prog_name, **extra))

    def _run(self, args: list[str], prog_name: str | None, **extra: Any) -> int:  # noqa: ANN401
        try:
            with self.make_context(prog_name or "mazarbul", args, **extra) as ctx:
                code = self.invoke(ctx)
            sys.stdout.flush()
        except click.exceptions.Exit as done:
            return done.exit_code
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the one place for all
            return fail(error)
        return int(code or ExitCode.DONE)


@click.group(
    name="mazarbul",
    cls=Root,
    families=_FAMILIES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--store",
    envvar="MAZARBUL_STORE",
    default="mazarbul-store",
    show_default=True,
    show_envvar=True,
    metavar="DIR",
    help="The store's folder.",
)
@click.version_option(package_name="mazarbul-analytics", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, store: str) -> None:
    """Keep a ledger of relations on both time axes, and ask it in the past tense.

    Data goes to stdout, everything else to stderr. "mazarbul COMMAND --help" explains a command.

    Exit codes: 0 done; 1 the store, disk or engine failed (also a busy store); 2 bad usage or
    argument value (also writing disabled); 3 unknown or ambiguous name, relation or relay; 4 a
    gap report met its --fail-on condition; 5 an import rejected rows.

    Example:
      mazarbul --store mazarbul-store init
    """
    ctx.obj = Session(store)


def main() -> None:
    """Entry point of the command `mazarbul`."""
    cli()
