"""Commands that show their example, and a group that imports commands when they are called."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

__all__ = ["Command", "Family", "Group", "LazyGroup", "example_of"]

_EXAMPLE = "\n\nExample:\n"


def example_of(command: click.Command) -> str:
    """Return the command line that a command's docstring ends with, empty where it has none."""
    return inspect.cleandoc(command.help or "").partition(_EXAMPLE)[2].strip()


class _Documented(click.Command):
    """Shows the docstring's last paragraph, `Example:`, as a section, its lines as they are."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        whole = self.help
        self.help = inspect.cleandoc(whole or "").partition(_EXAMPLE)[0]
        try:
            super().format_help_text(ctx, formatter)
        finally:
            self.help = whole
        example = example_of(self)
        if example:
            with formatter.section("Example"):
                for line in example.splitlines():
                    formatter.write(f"{'':{formatter.current_indent}}{line.strip()}\n")


class Command(_Documented):
    """A command whose docstring is a sentence, more if need be, and one example that runs."""


class Group(_Documented, click.Group):
    """A group of such commands."""

    command_class = Command


class Family(NamedTuple):
    """Commands that live in one module, with the short help of each."""

    title: str
    module: str
    commands: Mapping[str, str]


class LazyGroup(Group):
    """A group whose `--help` knows the commands' short help without importing them.

    A command `point-in-time` is the attribute `point_in_time` of its family's module, `import`
    is `import_`. A test holds the short helps to the commands' own.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - click.Group's own
        families: tuple[Family, ...] = (),
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **kwargs)
        self.families = families

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the families."""
        return [name for family in self.families for name in family.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the family's module and return the command; None for an unknown name."""
        for family in self.families:
            if cmd_name in family.commands:
                attribute = cmd_name.replace("-", "_")
                attribute += "_" if keyword.iskeyword(attribute) else ""
                command: click.Command = getattr(import_module(family.module), attribute)
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write one section a family."""
        for family in self.families:
            with formatter.section(family.title):
                formatter.write_dl(list(family.commands.items()))
