"""Commands that read relations and entities: relations, history, entities, entity, sql."""

from __future__ import annotations

import sys

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.messages import say
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
from mazarbul_analytics.rules import answers

__all__ = ["entities", "entity", "history", "relations", "sql"]


@click.command(cls=Command)
@click.argument("reference", metavar="ENTITY")
@at_option
@as_of_option
@predicate_option
@scopes_option
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="At most so many, over both directions together.",
)
@click.option(
    "--include-inactive",
    is_flag=True,
    help="Also what is expired, future, superseded or retracted.",
)
@output_options
@pass_session
def relations(
    session: Session,
    reference: str,
    *,
    at: str | None,
    as_of: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    limit: int,
    include_inactive: bool,
    out: Output,
) -> None:
    """List an entity's relations, both directions.

    ENTITY is a name, a uid or entities/{uid}.

    Example:
      mazarbul relations Jeff --at 2024-01-01
    """
    listing = session.open().relations(
        reference,
        at=at,
        as_of=as_of,
        predicates=predicates,
        scopes=scopes,
        limit=limit,
        include_inactive=include_inactive,
    )
    out.rows(listing, as_object=answers.relations_object)
    if listing.truncated:
        say(f"{limit} of {listing.total} relations; --limit {listing.total} shows all")


@click.command(cls=Command)
@click.argument("reference", metavar="ENTITY")
@as_of_option
@predicate_option
@scopes_option
@output_options
@pass_session
def history(
    session: Session,
    reference: str,
    *,
    as_of: str | None,
    predicates: list[str] | None,
    scopes: list[str] | None,
    out: Output,
) -> None:
    """List every version of an entity's relations.

    ENTITY is a name, a uid or entities/{uid}.

    Example:
      mazarbul history Jeff --format csv
    """
    out.rows(
        session.open().history(
            reference,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
        )
    )


@click.command(cls=Command)
@click.option("--like", metavar="TEXT", help="Only names that contain TEXT, in any case.")
@output_options
@pass_session
def entities(session: Session, *, like: str | None, out: Output) -> None:
    """List the entities.

    % and _ are letters like any other.

    Example:
      mazarbul entities --like acme
    """
    out.rows(session.open().entities(like=like))


@click.command(cls=Command)
@click.argument("reference", metavar="ENTITY")
@output_options
@pass_session
def entity(session: Session, reference: str, *, out: Output) -> None:
    """Show the entity that a reference means.

    ENTITY is a name, a uid or entities/{uid}; several matches are an error that lists them.

    Example:
      mazarbul entity "acme corp"
    """
    found = session.open().entity(reference)
    out.rows({"entity_uid": found.uid, "name": found.name, "type": found.type})


@click.command(cls=Command)
@click.argument("query", metavar="QUERY")
@click.option("--at", metavar="TS", help="Bound as $at.")
@click.option("--as-of", metavar="TS", help="Bound as $as_of.")
@output_options
@pass_session
def sql(session: Session, query: str, *, at: str | None, as_of: str | None, out: Output) -> None:
    """Run one SELECT over the views and macros.

    QUERY "-" reads it from stdin. $at and $as_of are null, which means their defaults,
    where the options are not given. It opens the store's files and no others, and writes none.

    Example:
      mazarbul sql "select predicate, count(*) as n from relations_now group by all"
    """
    from mazarbul_analytics.cli import query as queries  # noqa: PLC0415 - imports the engine

    text = sys.stdin.buffer.read().decode() if query == "-" else query
    params = queries.parameters(text, at=at, as_of=as_of)
    with queries.engine_errors(text):
        out.rows(queries.reader(session.open().sql(text, params=params or None, confined=True)))
