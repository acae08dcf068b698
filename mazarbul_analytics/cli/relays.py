"""Commands about relays: list, get, exists, replies, deposit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mazarbul_analytics.cli.commands import Command, Group
from mazarbul_analytics.cli.options import Session, as_of_option, output_options, pass_session
from mazarbul_analytics.cli.output import FORMATS, Output
from mazarbul_analytics.rules import answers

__all__ = ["relays"]

_relay = click.argument("relay_id", metavar="ID")
_path_option = click.option(
    "-o",
    "--output",
    "path",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write to FILE: beside it first, then moved into place.",
)


@click.group(cls=Group)
def relays() -> None:
    """Keep numbered records byte for byte, and know which are missing.

    Example:
      mazarbul relays list
    """


@relays.command(name="list", cls=Command)
@click.option(
    "--after", metavar="ID", help="Only ids after this one, as strings; it may be absent."
)
@as_of_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *FORMATS]),
    default="text",
    show_default=True,
    help="json: one object; table, jsonl, csv and parquet: one row an id.",
)
@_path_option
@pass_session
def list_(
    session: Session, *, after: str | None, as_of: str | None, form: str, path: str | None
) -> None:
    """List what is present and what is known to be missing.

    Known missing is what a held record names and is not held. --after is a mark, no cursor:
    everything after it comes back each time.

    Example:
      mazarbul relays list --after relay-0100 --format json
    """
    out = Output(form if form in FORMATS else "table", path)
    found = session.open().relays.list(after=after, as_of=as_of)
    if form == "text":
        out.text(answers.relay_list_text(found))
    else:
        out.rows(found, as_object=answers.relay_list_object)


@relays.command(name="get", cls=Command)
@_relay
@_path_option
@pass_session
def get(session: Session, relay_id: str, *, path: str | None) -> None:
    """Write a held record's exact bytes.

    One that is not held ends with exit code 3, and stderr says whether it is known missing.

    Example:
      mazarbul relays get relay-0733 -o relay-0733.txt
    """
    record = session.open().relays.get(relay_id)
    Output("json", path).blob(record)


@relays.command(name="exists", cls=Command)
@_relay
@pass_session
def exists(session: Session, relay_id: str) -> None:
    """Print PRESENT, KNOWN_MISSING or UNKNOWN.

    Each is an answer: the exit code is 0.

    Example:
      mazarbul relays exists relay-0733
    """
    Output("json").text(session.open().relays.exists(relay_id))


@relays.command(name="replies", cls=Command)
@_relay
@output_options
@pass_session
def replies(session: Session, relay_id: str, *, out: Output) -> None:
    """List the held records whose parent or ref is ID, one row per naming.

    Example:
      mazarbul relays replies relay-0733
    """
    out.rows(session.open().relays.replies(relay_id))


@relays.command(name="deposit", cls=Command)
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--id", "relay_id", metavar="ID", help="The id, where the record bears none.")
@pass_session
def deposit(session: Session, file: str, *, relay_id: str | None) -> None:
    """Deposit one record; its bytes are kept exactly and never overwritten.

    Without --id it takes the id that the record bears, else the next one. FILE "-" is stdin.
    The same bytes again are a no-op; other bytes under a held id are refused.

    Example:
      mazarbul relays deposit relay-0733.txt --id relay-0733
    """
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    done = session.open().relays.deposit(data, relay_id=relay_id)
    Output("json").text(answers.deposited(done))
