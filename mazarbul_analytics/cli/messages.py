"""The only writer of stderr, and the exit codes: every failure of the command line ends here."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import suppress
from enum import IntEnum

import click

from mazarbul_analytics import errors

__all__ = ["STDOUT", "ExitCode", "fail", "printable", "say"]


class ExitCode(IntEnum):
    """What a command ends with."""

    DONE = 0
    FAILED = 1
    """The store, the disk or the engine failed; also a busy store."""
    USAGE = 2
    """Bad usage, a bad value, or writing is disabled."""
    UNKNOWN = 3
    """An unknown or ambiguous name, a relation or relay that is not held."""
    GAPS = 4
    """A gap report met its `--fail-on` condition."""
    REJECTED = 5
    """An import rejected rows, or could not read its file."""
    INTERRUPTED = 130
    BROKEN_PIPE = 141


# The first class that fits decides, so subclasses stand before their base.
_CODES: tuple[tuple[type[BaseException], ExitCode], ...] = (
    (KeyboardInterrupt, ExitCode.INTERRUPTED),
    (click.Abort, ExitCode.INTERRUPTED),
    (click.UsageError, ExitCode.USAGE),
    (BrokenPipeError, ExitCode.BROKEN_PIPE),
    (errors.InvalidValue, ExitCode.USAGE),
    (errors.RelayConflict, ExitCode.USAGE),
    (errors.WritesDisabled, ExitCode.USAGE),
    (errors.UnknownEntity, ExitCode.UNKNOWN),
    (errors.AmbiguousEntity, ExitCode.UNKNOWN),
    (errors.UnknownRelation, ExitCode.UNKNOWN),
    (errors.UnknownRelay, ExitCode.UNKNOWN),
    (errors.ImportAborted, ExitCode.REJECTED),
)

STDOUT = "standard output"
"""The file name of an error while an answer is printed."""

_CONTROLS = {
    code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != ord("\n")
} | {ord("\t"): "\\t", ord("\r"): "\\r"}


def say(*lines: str) -> None:
    """Print lines to stderr, with what a terminal would obey or not show written as escapes."""
    for line in lines:
        click.echo(printable(line), err=True)


def printable(text: str) -> str:
    """Return `text` with control characters (all but line ends) and invisible ones escaped."""
    if text.isascii() and text.isprintable():
        return text
    from mazarbul_analytics.rules import names  # noqa: PLC0415 - not needed by `--help`

    return names.escape_invisible(text.translate(_CONTROLS))


def fail(error: BaseException) -> ExitCode:
    """Report a failure in one or two lines and return the exit code that it means.

    With `MAZARBUL_DEBUG=1` the traceback comes before.
    """
    if isinstance(error, RuntimeError) and "Query interrupted" in str(error):
        error = KeyboardInterrupt()  # Ctrl-C, as the engine tells it
    code = next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.FAILED)
    if code is ExitCode.BROKEN_PIPE:
        _drop_stdout()
        return code
    if os.environ.get("MAZARBUL_DEBUG") == "1":
        say(*"".join(traceback.format_exception(error)).splitlines())
    say(*_describe(error))
    return code


def _describe(error: BaseException) -> list[str]:  # noqa: PLR0911 - one a kind of error
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return ["interrupted"]
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message().splitlines()
    if isinstance(error, click.UsageError):
        return [f"error: {error.format_message()}", *_hint(error)]
    if isinstance(error, click.ClickException):
        return [f"error: {error.format_message()}"]
    if isinstance(error, errors.MazarbulError):
        return [f"error: {error}", *_candidates(error)]
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename is not None else ""
        if error.filename == STDOUT:
            return [
                f"error: {what}{error.strerror}",
                "The answer is cut off; what the command had to write to the store is written.",
            ]
        return [f"error: {what}{error.strerror}{_mend(error)}"]
    first = (str(error).splitlines() or [""])[0]
    return [
        f"error: unexpected {type(error).__name__}: {first}".rstrip(": "),
        "this is a defect: MAZARBUL_DEBUG=1 shows the traceback to report",
    ]


def _hint(error: click.UsageError) -> list[str]:
    if isinstance(error, click.NoSuchOption) and error.option_name == "--store":
        return ["--store stands before the command: mazarbul --store DIR COMMAND"]
    if error.ctx is None:
        return []
    return [f"'{error.ctx.command_path} --help' shows how it is used"]


def _candidates(error: errors.MazarbulError) -> list[str]:
    found: tuple[errors.Candidate, ...] = getattr(error, "candidates", ())
    message = str(error)
    if not found or any(c.uid in message for c in found):
        return []
    return ["known: " + ", ".join(f"{c.name} ({c.type}, entities/{c.uid})" for c in found)]


def _mend(error: OSError) -> str:
    return {
        errno.ENOSPC: "; free some space and run it again",
        errno.EACCES: "; check the permissions",
        errno.EROFS: "; choose a place that can be written",
    }.get(error.errno or 0, "")


def _drop_stdout() -> None:
    """Send what is buffered nowhere: its reader is gone, and the interpreter would complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
