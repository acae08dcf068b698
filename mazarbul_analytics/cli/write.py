"""Commands that write one relation: init, relate, unrelate, retract."""

from __future__ import annotations

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.messages import say
from mazarbul_analytics.cli.options import Session, pass_session, scope_option
from mazarbul_analytics.cli.output import Output
from mazarbul_analytics.rules import answers, names
from mazarbul_analytics.rules.switches import switched_on

__all__ = ["init", "relate", "retract", "unrelate"]


@click.command(cls=Command)
@click.option(
    "--relay-id-form",
    metavar="FORM",
    help="The form of relay ids, a # for each digit.  [default: relay-####]",
)
@click.option(
    "--relay-first", type=int, metavar="N", help="The first relay's number, where holes begin."
)
@pass_session
def init(session: Session, *, relay_id_form: str | None, relay_first: int | None) -> None:
    """Make an empty store.

    A store that is there already is left as it is.

    Example:
      mazarbul init
    """
    session.open(create=True, relay_id_form=relay_id_form, relay_first=relay_first)
    say(f"store ready: {session.path}")


@click.command(cls=Command)
@click.argument("subject", metavar="FROM")
@click.argument("predicate", metavar="RELATION")
@click.argument("target", metavar="TO")
@click.option("--from-type", metavar="TYPE", help="Type of FROM, if it is new.")
@click.option("--to-type", metavar="TYPE", help="Type of TO, if it is new.")
@click.option("--attributes", metavar="JSON", help="A JSON object; {} for none. Default: as it is.")
@click.option("--valid-from", metavar="TS", help="First instant, included. Default: now.")
@click.option("--valid-to", metavar="TS", help="End, excluded. Default: open.")
@scope_option
@click.option("--source-event", metavar="UID", help="The episode that this comes from.")
@click.option("--exclusive", is_flag=True, help="Every other TO loses the period of this write.")
@click.option("--verbose", is_flag=True, help="A long answer; also with COMPACT_RESPONSES=false.")
@pass_session
def relate(
    session: Session,
    subject: str,
    predicate: str,
    target: str,
    *,
    from_type: str | None,
    to_type: str | None,
    attributes: str | None,
    valid_from: str | None,
    valid_to: str | None,
    scope: str,
    source_event: str | None,
    exclusive: bool,
    verbose: bool,
) -> None:
    """Record that a relation holds between two entities.

    It speaks of the valid period that it names and of nothing else; what is known
    already is answered and not written again. FROM and TO are names, uids or
    entities/{uid}; missing ones are created. A name that begins with a dash stands
    after "--".

    Example:
      mazarbul relate Jeff works_at "Acme Corp" --valid-from 2019-01-01
    """
    done = session.open().relate(
        subject,
        predicate,
        target,
        subject_type=from_type,
        object_type=to_type,
        attributes=attributes,
        valid_from=valid_from,
        valid_to=valid_to,
        scope=scope,
        source_event_uid=source_event,
        exclusive=exclusive,
    )
    for entity, given in ((done.subject, from_type), (done.object, to_type)):
        if given is not None and names.entity_type(given) != entity.type:
            say(f"note: {entity.name} keeps its type {entity.type}; {given} was not applied")
    compact = switched_on("COMPACT_RESPONSES") and not verbose
    Output("json").text(answers.relate_compact(done) if compact else answers.relate_verbose(done))


@click.command(cls=Command)
@click.argument("subject", metavar="FROM")
@click.argument("predicate", metavar="RELATION")
@click.argument("target", metavar="TO")
@click.option("--from", "valid_from", metavar="TS", help="First instant, included. Default: now.")
@click.option("--to", "valid_to", metavar="TS", help="End, excluded. Default: open.")
@scope_option
@pass_session
def unrelate(
    session: Session,
    subject: str,
    predicate: str,
    target: str,
    *,
    valid_from: str | None,
    valid_to: str | None,
    scope: str,
) -> None:
    """Take a portion of a relation away, by default from now on.

    Nothing is deleted: asked --as-of an earlier instant, the relation is as it was.

    Example:
      mazarbul unrelate Jeff works_at "Acme Corp" --from 2024-03-01
    """
    done = session.open().unrelate(
        subject, predicate, target, valid_from=valid_from, valid_to=valid_to, scope=scope
    )
    Output("json").text(answers.removed(done))


@click.command(cls=Command)
@click.argument("relation_uid", metavar="RELATION_UID")
@pass_session
def retract(session: Session, relation_uid: str) -> None:
    """Take all of a relation away, as recorded in error.

    Nothing is deleted: asked --as-of an earlier instant, the relation is as it was.

    Example:
      mazarbul retract 9bb696c8-beb9-88ef-a02e-8e90074dcee8
    """
    done = session.open().retract(relation_uid)
    Output("json").text(answers.removed(done))
