"""What the command line imports before a command needs it, seen in fresh processes."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from mazarbul_analytics.cli import cli

HEAVY = {"duckdb", "polars", "pyarrow", "deltalake", "rich", "pandas", "numpy"}

CODE = """
import json, sys
from mazarbul_analytics.cli import cli
sys.argv[0] = "mazarbul"
try:
    cli()
except SystemExit:
    pass
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def commands(command=cli, path=()):
    yield path
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from commands(command.get_command(ctx, name), (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_imports_no_engine(path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, *path, "--help"],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout.startswith("Usage: mazarbul")
    assert HEAVY.isdisjoint(json.loads(done.stderr))


def test_root_help_imports_no_command():
    code = CODE.replace('.partition(".")[0]', "")
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    families = {family.module for family in cli.families}
    assert families.isdisjoint(json.loads(done.stderr))


def test_short_helps_are_the_commands_own():
    ctx = click.Context(cli)
    for family in cli.families:
        for name, short in family.commands.items():
            command = cli.get_command(ctx, name)
            assert command.name == name
            assert command.help.splitlines()[0] == short


def test_an_unknown_command_is_none():
    assert cli.get_command(click.Context(cli), "nonsense") is None
