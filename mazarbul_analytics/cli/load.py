"""Commands that import files: import relations, import entities, import relays."""

from __future__ import annotations

from typing import Any

import click

from mazarbul_analytics.cli.commands import Group
from mazarbul_analytics.cli.messages import ExitCode, say
from mazarbul_analytics.cli.options import (
    Session,
    dialect_options,
    mapping_option,
    on_error_option,
    pass_session,
    rerun_options,
    scope_option,
)
from mazarbul_analytics.cli.output import Output
from mazarbul_analytics.cli.progress import bar
from mazarbul_analytics.cli.summary import lines
from mazarbul_analytics.rules import answers

__all__ = ["import_"]

_files = click.argument("files", nargs=-1, required=True, metavar="FILE...")
_format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: the summary also as one object on stdout.",
)


@click.group(name="import", cls=Group)
def import_() -> None:
    """Import files of relations, entities or relays.

    Bad rows are rejected one by one, good rows go in; a file that went in before is skipped.

    Example:
      mazarbul import relations edges.csv
    """


@import_.command(name="relations")
@_files
@mapping_option
@scope_option
@on_error_option
@click.option(
    "--exclusive",
    multiple=True,
    metavar="RELATION",
    help="Of this relation a subject has one object at a time; may be given several times.",
)
@click.option(
    "--timezone",
    default="UTC",
    show_default=True,
    metavar="ZONE",
    help="IANA zone of bare dates and of times without an offset.",
)
@click.option(
    "--trust-recorded-at",
    is_flag=True,
    help="Take the column recorded_at as the time when each row became known.",
)
@rerun_options
@dialect_options
@_format_option
@pass_session
def import_relations(
    session: Session,
    /,
    files: tuple[str, ...],
    *,
    mapping: dict[str, str],
    scope: str,
    on_error: str,
    exclusive: tuple[str, ...],
    timezone: str,
    trust_recorded_at: bool,
    form: str,
    **rest: Any,  # noqa: ANN401 - of rerun_options and dialect_options
) -> ExitCode:
    """Import relations from CSV (plain, .gz, .zst), Parquet or JSON lines.

    FILE may be a pattern. Needed are columns for subject, predicate and object, known by name
    (from, to, relation and others too) or by --map. All files go in by one commit.

    Example:
      mazarbul import relations edges.csv --map subject="Employee Name" --rejects rejects.csv
    """
    with bar() as progress:
        report = session.open().import_relations(
            list(files),
            mapping=mapping,
            scope=scope,
            on_error=on_error,
            exclusive=list(exclusive),
            timezone=timezone,
            trust_recorded_at=trust_recorded_at,
            **_given(rest, progress=progress),
        )
    return _finish(report, form=form, **rest)


@import_.command(name="entities")
@_files
@mapping_option
@on_error_option
@rerun_options
@dialect_options
@_format_option
@pass_session
def import_entities(
    session: Session,
    /,
    files: tuple[str, ...],
    *,
    mapping: dict[str, str],
    on_error: str,
    form: str,
    **rest: Any,  # noqa: ANN401 - of rerun_options and dialect_options
) -> ExitCode:
    """Import entities from CSV (plain, .gz, .zst), Parquet or JSON lines.

    Columns: name, and optionally type and entity_uid.

    Example:
      mazarbul import entities entities.csv
    """
    report = session.open().import_entities(
        list(files), mapping=mapping, on_error=on_error, **_given(rest)
    )
    return _finish(report, form=form, **rest)


@import_.command(name="relays")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@mapping_option
@on_error_option
@click.option(
    "--timezone",
    default="UTC",
    show_default=True,
    metavar="ZONE",
    help="IANA zone of bare dates and of times without an offset.",
)
@click.option(
    "--trust-deposited-at",
    is_flag=True,
    help="Take the column deposited_at as the time when each record came in.",
)
@rerun_options
@dialect_options
@_format_option
@pass_session
def import_relays(
    session: Session,
    /,
    paths: tuple[str, ...],
    *,
    mapping: dict[str, str],
    on_error: str,
    timezone: str,
    trust_deposited_at: bool,
    form: str,
    **rest: Any,  # noqa: ANN401 - of rerun_options and dialect_options
) -> ExitCode:
    """Import relays from folders of record files, CSV, Parquet or JSON lines.

    A folder holds one record a .txt file, named by its id. A table has id and either whole
    records (record) or the columns parent, refs, from, to, kind, body. A record of an id that
    is held is never overwritten.

    Example:
      mazarbul import relays records/ more-relays.csv --rejects rejects.csv
    """
    with bar() as progress:
        report = session.open().relays.import_(
            list(paths),
            mapping=mapping,
            on_error=on_error,
            timezone=timezone,
            trust_deposited_at=trust_deposited_at,
            **_given(rest, progress=progress),
        )
    return _finish(report, form=form, **rest)


def _given(options: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the options that were given; the library's defaults hold for the others."""
    return {name: value for name, value in {**options, **more}.items() if value}


def _finish(report: Any, *, form: str, dry_run: bool, rejects: str | None, **_: Any) -> ExitCode:  # noqa: ANN401
    say(*lines(report, dry_run=dry_run, rejects=rejects))
    if form == "json":
        Output("json").text(answers.import_object(report, dry_run=dry_run))
    return ExitCode.REJECTED if report.rejected else ExitCode.DONE
