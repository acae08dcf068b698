"""The command gaps: one report, in many forms."""

from __future__ import annotations

from pathlib import Path

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.messages import ExitCode
from mazarbul_analytics.cli.options import Session, as_of_option, pass_session
from mazarbul_analytics.cli.output import Output, refuse_in_store

__all__ = ["gaps"]

_FORMS = ("text", "json", "csv", "parquet", "markdown", "html", "prometheus")
_ROWS = ("csv", "parquet")
_ENDINGS = {
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".md": "markdown",
    ".html": "html",
    ".prom": "prometheus",
}


@click.command(cls=Command)
@as_of_option
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="Default: by the ending of -o FILE (.md, .html, .prom and so on), else text.",
)
@click.option(
    "-o",
    "--output",
    "path",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write to FILE: beside it first, then moved into place.",
)
@click.option("--since", metavar="TS", help="New and closed are judged against this instant.")
@click.option(
    "--state",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="New and closed are judged against the last report, which FILE remembers.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["none", "missing", "new", "holes"]),
    help="Exit with 4 if there are any; may be given several times.  [default: none]",
)
@click.option(
    "--older-than",
    metavar="DURATION",
    help="Only gaps known for so long (30m, 12h, 7d), in the list and for the alarm.",
)
@click.option("--last", metavar="ID", help="Look for holes up to here. Default: the last present.")
@pass_session
def gaps(
    session: Session,
    *,
    as_of: str | None,
    form: str | None,
    path: str | None,
    since: str | None,
    state: str | None,
    fail_on: tuple[str, ...],
    older_than: str | None,
    last: str | None,
) -> ExitCode:
    """Report which relays are known to be missing, since when and between what.

    A gap is an id that a held record names and that is not held. Holes, ids that nobody
    names either, are told apart. Gaps are reported, never closed.

    Example:
      mazarbul gaps --state gaps.state --fail-on new --format markdown
    """
    if since is not None and state is not None:
        raise click.UsageError("--since and --state both tell what the last report was: give one")
    if state is not None:
        refuse_in_store(Path(state))
    form = form or _ENDINGS.get(Path(path or "").suffix.lower(), "text")
    out = Output(form if form in _ROWS else "json", path)
    report = session.open().gaps(
        as_of=as_of, since=since, older_than=older_than, state=state, last=last
    )
    if form in _ROWS:
        out.rows(report.known_missing)
    else:
        from mazarbul_analytics import reports  # noqa: PLC0415 - imports pyarrow

        out.text(reports.render(report, form))
    report.remember()
    return ExitCode.GAPS if report.alarms(fail_on) else ExitCode.DONE
