"""docs/cli.md is what the commands say of themselves, and every command says enough."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click
import pytest

from mazarbul_analytics.cli import cli
from mazarbul_analytics.cli.commands import example_of

ROOT = Path(__file__).resolve().parents[2]


def load_tool():
    spec = importlib.util.spec_from_file_location("tool", ROOT / "tools" / "write_cli_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(command=cli, path="mazarbul"):
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from commands(command.get_command(ctx, name), f"{path} {name}")


COMMANDS = dict(commands())


def test_the_reference_is_fresh():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert text == load_tool().reference(), "run: python tools/write_cli_reference.py"


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_has_a_sentence_and_an_example(path):
    command = COMMANDS[path]
    assert command.help.splitlines()[0].endswith(".")
    example = example_of(command)
    assert len(example.splitlines()) == 1
    assert example.startswith("mazarbul")
    assert path.split()[1] in example if " " in path else True


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_has_help(path):
    for parameter in COMMANDS[path].params:
        assert isinstance(parameter, click.Argument) or parameter.help
