"""Commands that keep the store: catalog, publish, optimize, vacuum, check, info."""

from __future__ import annotations

import click

from mazarbul_analytics.cli.commands import Command
from mazarbul_analytics.cli.messages import ExitCode, say
from mazarbul_analytics.cli.options import Session, output_options, pass_session
from mazarbul_analytics.cli.output import Output

__all__ = ["catalog", "check", "info", "optimize", "publish", "vacuum"]


@click.command(cls=Command)
@click.option("--extract", metavar="FILE", help="Write a self-contained copy with native tables.")
@click.option("--relay-bytes", is_flag=True, help="Put the bytes of the relays into it too.")
@pass_session
def catalog(session: Session, *, extract: str | None, relay_bytes: bool) -> None:
    """Renew the door for BI tools, or extract a copy of it.

    STORE/catalog.duckdb holds views and macros over the store's files. Writing commands renew
    it; after the store's folder was moved this command does.

    Example:
      mazarbul catalog
    """
    if relay_bytes and extract is None:
        raise click.UsageError("--relay-bytes is said of an extract: give --extract FILE too")
    say(f"catalog: {session.open().catalog(extract=extract, relay_bytes=relay_bytes)}")


@click.command(cls=Command)
@click.argument("url", metavar="URL")
@click.option(
    "--schema", default="mazarbul", show_default=True, metavar="NAME", help="Where to copy to."
)
@click.option("--relay-bytes", is_flag=True, help="Copy the bytes of the relays too.")
@pass_session
def publish(session: Session, *, url: str, schema: str, relay_bytes: bool) -> None:
    """Copy the store into PostgreSQL, for tools that speak nothing else.

    Its tables and views go into a schema in one transaction and take the place of those of
    the last publish: readers have the old rows until then. What no publish made is not
    touched. It needs the extra: pip install 'mazarbul-analytics[postgres]'. Keep the password
    out of URL, which others on the machine can see: in ~/.pgpass or PGPASSWORD.

    Example:
      mazarbul publish postgresql://ledger@db.example.org/bi
    """
    done = session.open().publish(url, schema=schema, relay_bytes=relay_bytes)
    say(
        f"published into the schema {done.schema}: {len(done.rows)} tables,"
        f" {sum(done.rows.values()):,} rows and {len(done.views)} view"
    )
    say(*(f"  {name}: {rows:,} rows" for name, rows in done.rows.items()))
    for name, rows in done.adapted.items():
        say(f"note: {rows:,} rows of {name} are spelled otherwise (docs/postgresql.md, Types)")


@click.command(cls=Command)
@pass_session
def optimize(session: Session) -> None:
    """Rewrite the store's files sorted, for fast reads.

    Readers are not disturbed; the old files stay until vacuum.

    Example:
      mazarbul optimize
    """
    rewritten = session.open().optimize()
    parts = [f"{rows} {table}" for table, rows in rewritten.items()]
    say(f"rewritten: {', '.join(parts) or 'nothing'}")


@click.command(cls=Command)
@click.option(
    "--older-than",
    default="7d",
    show_default=True,
    metavar="DURATION",
    help="Only files without a use for so long: 12h, 7d, 2w.",
)
@pass_session
def vacuum(session: Session, *, older_than: str) -> None:
    """Delete files that no snapshot names any more.

    Readers that began longer ago than the duration may lose their files.

    Example:
      mazarbul vacuum --older-than 7d
    """
    deleted = session.open().vacuum(older_than=older_than)
    say(f"deleted: {len(deleted)} files")


@click.command(cls=Command)
@output_options
@pass_session
def check(session: Session, *, out: Output) -> ExitCode:
    """Verify the store.

    Findings are rows of severity, subject, finding; an error among them is exit code 1.

    Example:
      mazarbul check
    """
    findings = session.open().check()
    out.rows(findings)
    severities = getattr(findings, "table", findings).column("severity").to_pylist()
    if "error" in severities:
        say(f"error: {severities.count('error')} errors in {session.path}")
        return ExitCode.FAILED
    return ExitCode.DONE


@click.command(cls=Command)
@output_options
@pass_session
def info(session: Session, *, out: Output) -> None:
    """Show counts and sizes.

    Example:
      mazarbul info
    """
    out.rows(session.open().info())
