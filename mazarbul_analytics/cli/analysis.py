"""Commands over both time axes: neighbors, changes, activity, point-in-time."""

from __future__ import annotations

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.options import (
    Session,
    as_of_option,
    at_option,
    output_options,
    pass_session,
    predicate_option,
    scopes_option,
)
from mazarbul_analytics.cli.output import Output

__all__ = ["activity", "changes", "neighbors", "point_in_time"]


@click.command(cls=Command)
@click.argument("reference", metavar="ENTITY")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="At most so many steps.",
)
@at_option
@as_of_option
@predicate_option
@scopes_option
@click.option(
    "--direction",
    type=click.Choice(["outgoing", "incoming", "both"]),
    default="both",
    show_default=True,
    help="From subject to object, the other way, or either.",
)
@output_options
@pass_session
def neighbors(
    session: Session,
    reference: str,
    *,
    depth: int,
    at: str | None,
    as_of: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    direction: str,
    out: Output,
) -> None:
    """List who is reachable from an entity within some steps.

    Each once, with its distance and one shortest path. ENTITY is a name, a uid or entities/{uid}.

    Example:
      mazarbul neighbors Jeff --depth 3 --at 2024-01-01
    """
    out.rows(
        session.open().neighbors(
            reference,
            depth=depth,
            at=at,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
            direction=direction,
        )
    )


@click.command(cls=Command)
@click.option(
    "--since", metavar="TS", help="Transaction time, itself left out. Default: the beginning."
)
@click.option(
    "--until", metavar="TS", help="Transaction time, itself included. Default: all recorded."
)
@predicate_option
@scopes_option
@output_options
@pass_session
def changes(
    session: Session,
    *,
    since: str | None,
    until: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    out: Output,
) -> None:
    """List what was learned between two transaction instants.

    Created, corrected (with before and after), ended or retracted, by portion of valid time.

    Example:
      mazarbul changes --since 2024-01-01 --until 2024-02-01
    """
    out.rows(session.open().changes(since, until, predicates=predicates, scopes=scopes))


@click.command(cls=Command)
@click.option("--start", required=True, metavar="TS", help="The first instant, valid time.")
@click.option("--stop", required=True, metavar="TS", help="The grid ends here, itself included.")
@click.option(
    "--step",
    required=True,
    metavar="LENGTH",
    help="45s, 30m, 12h, 7d, 2w, or calendar time: '1 month', '1 quarter', '1 year'.",
)
@as_of_option
@predicate_option
@scopes_option
@output_options
@pass_session
def activity(
    session: Session,
    *,
    start: str,
    stop: str,
    step: str,
    as_of: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    out: Output,
) -> None:
    """Count the live relations at each instant of a grid, by predicate.

    Example:
      mazarbul activity --start 2020-01-01 --stop 2024-01-01 --step '1 month'
    """
    out.rows(
        session.open().activity(
            start,
            stop,
            step,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
        )
    )


@click.command("point-in-time", cls=Command)
@click.argument("probes", metavar="PROBES", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--entity", required=True, metavar="COL", help="The column of names or references by uid."
)
@click.option("--at", required=True, metavar="COL", help="The column of instants of valid time.")
@click.option(
    "--as-of",
    metavar="COL",
    help="The column of instants of transaction time; may be that of --at. Default: all recorded.",
)
@predicate_option
@scopes_option
@click.option("--exclusive", is_flag=True, help="At most one match for each probe and predicate.")
@click.option(
    "--direction",
    type=click.Choice(["outgoing", "incoming"]),
    default="outgoing",
    show_default=True,
    help="Relations of which the entity is the subject, or the object.",
)
@click.option(
    "--timezone",
    default="UTC",
    show_default=True,
    metavar="ZONE",
    help="IANA zone of times without an offset.",
)
@output_options
@pass_session
def point_in_time(
    session: Session,
    probes: str,
    *,
    entity: str,
    at: str,
    as_of: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    exclusive: bool,
    direction: str,
    timezone: str,
    out: Output,
) -> None:
    """Join a file of probes to the relations live at each, as known then.

    PROBES is a CSV or Parquet file. One row per probe and match; a probe without a match stays,
    and its probe_status says why. The probes' own columns all stay.

    Example:
      mazarbul point-in-time probes.csv --entity who --at when --as-of when -o features.parquet
    """
    out.keep_from(probes)
    out.rows(
        session.open().point_in_time(
            probes,
            entity=entity,
            at=at,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
            exclusive=exclusive,
            direction=direction,
            timezone=timezone,
        )
    )
