"""Write docs/cli.md: the --help of every command, as the program prints it.

python tools/write_cli_reference.py            # write it
python tools/write_cli_reference.py --check    # exit 1 when it is stale
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from mazarbul_analytics.cli import cli

TARGET = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
WIDTH = 88

HEAD = """\
# Command line reference

Written by `tools/write_cli_reference.py` from the commands' own `--help`; a test fails when it is
stale.
"""


def reference() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *_sections(cli, None, "mazarbul")])


def _sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    settings = {**command.context_settings, "terminal_width": WIDTH}
    ctx = click.Context(command, parent=parent, info_name=name, **settings)
    yield f"## `{ctx.command_path}`\n\n```text\n{command.get_help(ctx)}\n```\n"
    if isinstance(command, click.Group):
        for sub in command.list_commands(ctx):
            found = command.get_command(ctx, sub)
            if found is not None:
                yield from _sections(found, ctx, sub)


def main() -> int:
    """Write the page, or compare it with `--check`."""
    text = reference()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print("docs/cli.md is fresh" if fresh else "docs/cli.md is stale: run this without --check")
        return 0 if fresh else 1
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
