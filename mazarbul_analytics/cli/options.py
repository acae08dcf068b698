"""Options and arguments that several commands share, and the session that opens the store."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mazarbul_analytics.cli.output import FORMATS, Output

if TYPE_CHECKING:
    from mazarbul_analytics import Store

__all__ = [
    "Session",
    "as_of_option",
    "at_option",
    "dialect_options",
    "mapping_option",
    "on_error_option",
    "output_options",
    "pass_session",
    "predicate_option",
    "rerun_options",
    "scope_option",
    "scopes_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])


class Session:
    """What the root group knows; the store is opened, and its engine imported, when asked for."""

    def __init__(self, path: str) -> None:
        self.path = path

    def open(self, *, create: bool = False, **settings: Any) -> Store:  # noqa: ANN401
        """Open the store; `create` makes an empty one where there is none, with settings."""
        from mazarbul_analytics import Store  # noqa: PLC0415 - the engine loads here

        return Store(self.path, create=create, **settings)


pass_session = click.make_pass_decorator(Session)

at_option = click.option(
    "--at",
    metavar="TS",
    help="Valid time asked about: 2024-03-01T12:00:00Z, or a date (midnight UTC). Default: now.",
)
as_of_option = click.option(
    "--as-of",
    metavar="TS",
    help="Hide what was recorded later than this. Default: all that is recorded.",
)


def _given(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    return list(values) or None


predicate_option = click.option(
    "--predicate",
    "predicates",
    multiple=True,
    callback=_given,
    metavar="RELATION",
    help="Only this relation; may be given several times.",
)
scopes_option = click.option(
    "--scope",
    "scopes",
    multiple=True,
    callback=_given,
    metavar="SCOPE",
    help="project, personal or team; may be given several times.  [default: project, personal]",
)
scope_option = click.option(
    "--scope",
    default="project",
    show_default=True,
    metavar="SCOPE",
    help="project, personal or team.",
)
on_error_option = click.option(
    "--on-error",
    type=click.Choice(["reject", "abort"]),
    default="reject",
    show_default=True,
    help="Reject bad rows one by one, or write nothing if any row fails.",
)


def _mapping(_: click.Context, __: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not (name and equals and column):
            raise click.BadParameter(f"{pair!r} is not NAME=COLUMN, as in subject='Employee Name'")
        if name in mapping:
            raise click.BadParameter(f"{name!r} is given twice")
        mapping[name] = column
    return mapping


mapping_option = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="NAME=COLUMN",
    callback=_mapping,
    help="Which column of the file means NAME, as in subject='Employee Name'; may be repeated.",
)


def dialect_options(command: Command) -> Command:
    """Add `--encoding` and `--delimiter`, which say how a CSV is written."""
    command = click.option("--delimiter", metavar="CHAR", help="Default: comma, or tab.")(command)
    return click.option("--encoding", metavar="NAME", help="Of a CSV that is not UTF-8.")(command)


def rerun_options(command: Command) -> Command:
    """Add `--rejects`, `--dry-run` and `--again`."""
    command = click.option("--again", is_flag=True, help="Apply files anew that went in before.")(
        command
    )
    command = click.option("--dry-run", is_flag=True, help="Do all but write.")(command)
    return click.option(
        "--rejects", metavar="FILE", help="Write rejected rows here (.csv or .parquet)."
    )(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--format` and `-o`; the command receives one keyword `out`, an `Output`."""

    @click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        help="Default: by the ending of -o FILE, else a table on a terminal, else JSON lines.",
    )
    @click.option(
        "-o",
        "--output",
        "path",
        type=click.Path(dir_okay=False, allow_dash=True),
        help="Write to FILE: beside it first, then moved into place.",
        metavar="FILE",
    )
    @wraps(command)
    def wrapped(*args: Any, form: str | None, path: str | None, **kwargs: Any) -> Any:  # noqa: ANN401
        return command(*args, out=Output(form, path), **kwargs)

    return wrapped
