"""Exit codes and errors: one or two lines on stderr, never a traceback."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from mazarbul_analytics import errors
from mazarbul_analytics.cli import ExitCode, cli
from mazarbul_analytics.cli.messages import STDOUT
from mazarbul_analytics.cli.options import Session

JEFF = errors.Candidate("u1", "Jeff\u200b", "person")
DEFECT = "this is a defect: MAZARBUL_DEBUG=1 shows the traceback to report"


def raising(error):
    def call(*_, **__):
        raise error

    return SimpleNamespace(entities=call)


def run(monkeypatch, error, **env):
    monkeypatch.setattr(Session, "open", lambda _: raising(error))
    return CliRunner(env=env).invoke(cli, ["entities"])


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (errors.StoreError("the disk is gone"), 1, ["error: the disk is gone"]),
        (errors.WriterBusy("busy: pid 7 writes"), 1, ["error: busy: pid 7 writes"]),
        (errors.MazarbulError("some other"), 1, ["error: some other"]),
        (errors.InvalidValue("'x' is no instant"), 2, ["error: 'x' is no instant"]),
        (errors.QueryError("refused"), 2, ["error: refused"]),
        (errors.SelfReference("one entity"), 2, ["error: one entity"]),
        (errors.RelayConflict("other bytes"), 2, ["error: other bytes"]),
        (errors.WritesDisabled("Memory not enabled"), 2, ["error: Memory not enabled"]),
        (errors.UnknownRelation("no such relation"), 3, ["error: no such relation"]),
        (errors.UnknownRelay("not held"), 3, ["error: not held"]),
        (errors.UnknownEntity("no 'jef'\nNear: none"), 3, ["error: no 'jef'", "Near: none"]),
        (
            errors.UnknownEntity("no 'jef'", candidates=[JEFF]),
            3,
            ["error: no 'jef'", "known: Jeff\\u200b (person, entities/u1)"],
        ),
        (
            errors.AmbiguousEntity("two 'jeff': u1, u2", candidates=[JEFF]),
            3,
            ["error: two 'jeff': u1, u2"],
        ),
        (errors.ImportAborted("x.csv: no header"), 5, ["error: x.csv: no header"]),
        (
            OSError(errno.ENOSPC, "No space left on device", "/data/x"),
            1,
            ["error: /data/x: No space left on device; free some space and run it again"],
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", STDOUT),
            1,
            [
                "error: standard output: No space left on device",
                "The answer is cut off; what the command had to write to the store is written.",
            ],
        ),
        (FileNotFoundError(errno.ENOENT, "No such file", "x"), 1, ["error: x: No such file"]),
        (KeyError("x"), 1, ["error: unexpected KeyError: 'x'", DEFECT]),
        (RuntimeError("one\ntwo"), 1, ["error: unexpected RuntimeError: one", DEFECT]),
        (AssertionError(), 1, ["error: unexpected AssertionError", DEFECT]),
        (KeyboardInterrupt(), 130, ["interrupted"]),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, []),
        (
            click.UsageError("bad"),
            2,
            ["error: bad", "'mazarbul entities --help' shows how it is used"],
        ),
        (
            errors.InvalidValue("'\x1b[31m\u202e' is bad"),
            2,
            ["error: '\\u001b[31m\\u202e' is bad"],
        ),
    ],
)
def test_every_kind_of_error(monkeypatch, error, code, lines):
    result = run(monkeypatch, error)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.splitlines() == lines


def test_the_traceback_is_shown_when_asked_for(monkeypatch):
    result = run(monkeypatch, errors.StoreError("the disk is gone"), MAZARBUL_DEBUG="1")
    assert result.exit_code == ExitCode.FAILED
    assert result.stderr.startswith("Traceback (most recent call last):")
    assert result.stderr.endswith("error: the disk is gone\n")


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (["relate", "Jeff"], ["error: Missing argument 'RELATION'.", "'mazarbul relate --help'"]),
        (["--nonsense", "info"], ["error: No such option", "'mazarbul --help'"]),
        (["nonsense"], ["error: No such command 'nonsense'.", "'mazarbul --help'"]),
        (["info", "extra"], ["error: Got unexpected extra argument (extra)", "'mazarbul info"]),
        (
            ["info", "--store", "x"],
            [
                "error: No such option",
                "--store stands before the command: mazarbul --store DIR COMMAND",
            ],
        ),
        (["info", "--format", "xml"], ["error: Invalid value for '--format'", "'mazarbul info"]),
        (["info", "--format", "parquet"], ["error: parquet is no text", "'mazarbul info"]),
        (["relations", "x", "--limit", "0"], ["error: Invalid value for '--limit'", "'mazarbul"]),
        (["import", "relations"], ["error: Missing argument 'FILE...'.", "'mazarbul import"]),
        (
            ["import", "relations", "x.csv", "--map", "subject"],
            ["error: Invalid value for '--map': 'subject' is not NAME=COLUMN", "'mazarbul"],
        ),
        (
            ["import", "relations", "x.csv", "--map", "subject=a", "--map", "subject=b"],
            ["error: Invalid value for '--map': 'subject' is given twice", "'mazarbul"],
        ),
        (
            ["import", "relations", "x.csv", "--on-error", "ignore"],
            ["error: Invalid value for '--on-error'", "'mazarbul import relations --help'"],
        ),
    ],
)
def test_bad_usage(args, lines):
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == ""
    found = result.stderr.splitlines()
    assert len(found) == len(lines)
    assert all(f.startswith(line) for f, line in zip(found, lines, strict=True))


@pytest.mark.parametrize("args", [[], ["import"]])
def test_a_group_alone_shows_its_help_on_stderr(args):
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: mazarbul")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_goes_to_stdout(flag):
    result = CliRunner().invoke(cli, [flag])
    assert result.exit_code == ExitCode.DONE
    assert result.stderr == ""
    assert "retract" in result.stdout


@pytest.mark.parametrize(
    ("args", "env", "path"),
    [
        ([], {}, "mazarbul-store"),
        ([], {"MAZARBUL_STORE": "from-env"}, "from-env"),
        ([], {"MAZARBUL_STORE": ""}, "mazarbul-store"),
        (["--store", "given"], {"MAZARBUL_STORE": "from-env"}, "given"),
    ],
)
def test_which_store(monkeypatch, args, env, path):
    seen = []
    monkeypatch.delenv("MAZARBUL_STORE", raising=False)
    monkeypatch.setattr(Session, "open", lambda self, **_: seen.append(self.path))
    assert CliRunner(env=env).invoke(cli, [*args, "init"]).exit_code == ExitCode.DONE
    assert seen == [path]


def program(code):
    return [sys.executable, "-c", code]


SLOW = """
import time
from mazarbul_analytics.cli import main
from mazarbul_analytics.cli.options import Session
def slow(self):
    print("begun", flush=True)
    time.sleep(30)
Session.open = slow
import sys
sys.argv = ["mazarbul", "info"]
main()
"""


def test_an_interrupt_is_one_line():
    pipe = subprocess.PIPE
    with subprocess.Popen(program(SLOW), stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == ExitCode.INTERRUPTED
    assert err == "interrupted\n"


LONG = """
import sys
import pyarrow as pa
from mazarbul_analytics.cli import main
from mazarbul_analytics.cli.options import Session
class Fake:
    def entities(self, like):
        return pa.table({"n": range(1_000_000)})
Session.open = lambda self: Fake()
sys.argv = ["mazarbul", "entities", "--format", "csv"]
main()
"""


def test_a_closed_pipe_is_quiet():
    pipe = subprocess.PIPE
    with subprocess.Popen(program(LONG), stdout=pipe, stderr=pipe) as process:
        assert process.stdout.readline() == b"n\r\n"
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(timeout=20) == ExitCode.BROKEN_PIPE
    assert err == b""


def test_a_full_disk_is_told_when_the_last_bytes_leave():
    full = Path("/dev/full")
    if not full.exists():  # only Linux has it
        return
    code = "from mazarbul_analytics.cli import main; import sys; sys.argv[1:] = ['-h']; main()"
    with full.open("wb") as sink:
        done = subprocess.run(
            program(code), stdout=sink, stderr=subprocess.PIPE, text=True, timeout=20, check=False
        )
    assert done.returncode != ExitCode.DONE
    assert "No space left on device" in done.stderr
