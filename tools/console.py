"""Run the console blocks of a Markdown file: what `make demo` shows and what the tests hold true.

A block is fenced with ```console; a line that begins with `$ ` is a command, the lines behind it
are its output, standard output and standard error as a terminal of 110 columns shows them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

COLUMNS = 110
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A command, what it printed when the file was written, and where it stands."""

    command: str
    output: str
    line: int


def steps(markdown: str) -> Iterator[Step]:
    r"""Yield the commands of all console blocks in order; a `\` at a line's end joins the next."""
    for block in _BLOCK.finditer(markdown):
        line = markdown.count("\n", 0, block.start()) + 2
        for part in re.split(r"^(?=\$ )", block[1], flags=re.MULTILINE):
            if part.startswith("$ "):
                command, _, output = part[2:].replace("\\\n", " ").partition("\n")
                yield Step(command, output, line)
            line += part.count("\n")


def run(command: str, folder: Path) -> tuple[str, int]:
    """Run a command in a folder as on a terminal; return what it shows and its exit code."""
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    beside = str(Path(sys.executable).parent)
    environment = {
        "HOME": os.environ.get("HOME", "/"),
        "PATH": f"{beside}{os.pathsep}{os.environ.get('PATH', '')}",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=inside,
        stderr=inside,
    )
    os.close(inside)
    shown = b""
    while True:
        try:
            part = os.read(outside, 65536)
        except OSError:  # the other end is closed: Linux tells it by EIO
            break
        if not part:
            break
        shown += part
    os.close(outside)
    return re.sub(r"\r+\n", "\n", shown.decode()), process.wait()


_VARIES = (
    (re.compile(r"\d[\d,.]* s, \d[\d,]* rows/s"), "0.5 s, 3,000 rows/s"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"), "2026-01-01T00:00:00.000000Z"),
)


def steady(output: str) -> str:
    """Return an output with what differs from run to run (speed, the clock) made the same."""
    output = output.lstrip("\n")  # where a progress bar was
    for pattern, text in _VARIES:
        output = pattern.sub(text, output)
    return output


def refreshed(markdown: str, folder: Path) -> str:
    """Return a Markdown text with the output of each command written anew."""

    def block(match: re.Match[str]) -> str:
        lines = []
        for part in re.split(r"^(?=\$ )", match[1], flags=re.MULTILINE):
            if not part.startswith("$ "):
                continue
            typed = re.match(r"\$ (?:.*\\\n)*.*\n", part)
            command = part[2:].replace("\\\n", " ").partition("\n")[0]
            lines.append(f"{typed[0] if typed else part}{steady(run(command, folder)[0])}")
        return f"```console\n{''.join(lines)}```"

    return _BLOCK.sub(block, markdown)
