"""The commands about relays: answers to the letter, exit codes, bytes."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mazarbul_analytics import Store
from mazarbul_analytics.cli import cli

sys.path.insert(0, str(Path(__file__).parents[1]))
from relayworld import FIRST, ROWS, record, write_jsonl


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("MAZARBUL_STORE", "ENABLE_MEMORY", "COMPACT_RESPONSES", "MAZARBUL_DEBUG"):
        monkeypatch.delenv(variable, raising=False)

    def call(line, code=0, stdin=None, **env):
        result = CliRunner(env=env).invoke(cli, shlex.split(line), input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def store(run):
    run("init")
    return run


@pytest.fixture
def hard(run, tmp_path):
    run("init --relay-first 1")
    write_jsonl(tmp_path / "hard.jsonl")
    run("import relays hard.jsonl --trust-deposited-at")
    return run


def test_an_empty_list(store):
    assert store("relays list").stdout == "present (0): —\nknown missing (0): —\n"
    empty = '{"present":[],"knownMissing":[],"after":null}\n'
    assert store("relays list --format json").stdout == empty


def test_the_list_to_the_letter(hard):
    assert hard("relays list").stdout == (
        "present (8): relay-0003 relay-0004 relay-0005 relay-0006 relay-0009 relay-0010 relay-0012 "
        "relay-0014\nknown missing (4): a|b<i>* pr-12 relay-0011 relay-0999\n"
    )
    assert hard("relays list --after relay-0011 --format json").stdout == (
        '{"present":["relay-0012","relay-0014"],"knownMissing":["relay-0999"],"after":"relay-0011"}\n'
    )
    assert hard("relays list --as-of 2024-01-01T00:30:00Z").stdout == (
        "present (1): relay-0003\nknown missing (0): —\n"
    )
    assert hard("relays list --format csv").stdout.splitlines()[:2] == [
        "relay_id,state",
        "a|b<i>*,KNOWN_MISSING",
    ]


@pytest.mark.parametrize("mark", ["relay-11", "Relay-0011", "''", "11"])
def test_a_malformed_mark_is_refused(hard, mark):
    assert hard(f"relays list --after {mark}", code=2).stdout == ""


@pytest.mark.parametrize(
    ("relay_id", "state"),
    [("relay-0003", "PRESENT"), ("relay-0011", "KNOWN_MISSING"), ("relay-0777", "UNKNOWN")],
)
def test_exists_says_one_word_and_exits_0(hard, relay_id, state):
    assert hard(f"relays exists {relay_id}").stdout == f"{state}\n"


def test_get_writes_the_exact_bytes(hard, tmp_path):
    for relay_id, _, data in ROWS:
        assert hard(f"relays get {relay_id}").stdout_bytes == data
    hard("relays get relay-0003 -o out.txt")
    assert (tmp_path / "out.txt").read_bytes() == FIRST
    for relay_id, state in (("relay-0011", "KNOWN_MISSING"), ("x", "UNKNOWN")):
        result = hard(f"relays get {relay_id}", code=3)
        assert result.stdout_bytes == b""
        assert state in result.stderr


def test_replies_are_rows(hard):
    found = [json.loads(line) for line in hard("relays replies relay-0011").stdout.splitlines()]
    assert [(r["relay_id"], r["via"]) for r in found] == [
        ("relay-0012", "ref"),
        ("relay-0014", "ref"),
    ]
    assert hard("relays replies relay-0014").stdout == ""


def test_deposit_answers_and_never_overwrites(store, tmp_path):
    (tmp_path / "a.txt").write_bytes(FIRST)
    digest = hashlib.sha256(FIRST).hexdigest()
    told = '{"ok":true,"status":"%s","relay":"relay-0003","sha256":"%s"}\n'
    assert store("relays deposit a.txt").stdout == told % ("created", digest)
    assert store("relays deposit a.txt").stdout == told % ("duplicate", digest)
    other = FIRST + b"more"
    result = store("relays deposit -", code=2, stdin=other)
    assert digest in result.stderr
    assert hashlib.sha256(other).hexdigest() in result.stderr
    assert store("relays get relay-0003").stdout_bytes == FIRST
    assert json.loads(store("relays deposit -", stdin=record()).stdout)["relay"] == "relay-0004"
    assert store("relays deposit -", code=2, stdin=b"prose").stdout == ""
    assert store("relays deposit missing.txt", code=1).stdout == ""
    assert store("relays deposit a.txt", code=2, ENABLE_MEMORY="false").stdout == ""


def test_an_import_with_conflicts_lets_the_rest_in_and_exits_5(store, tmp_path):
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "relay-0003.txt").write_bytes(FIRST)
    store("import relays records")
    (folder / "relay-0003.txt").write_bytes(FIRST + b"x")
    (folder / "relay-0004.txt").write_bytes(record("relay-0004"))
    result = store("import relays records --rejects r.csv --format json", code=5)
    counts = json.loads(result.stdout)
    assert (counts["rows"], counts["created"], counts["rejected"]) == (2, 1, 1)
    text = (tmp_path / "r.csv").read_text(encoding="utf-8")
    assert "relay_conflict" in text
    assert hashlib.sha256(FIRST).hexdigest() in text
    assert hashlib.sha256(FIRST + b"x").hexdigest() in text
    assert store("relays get relay-0003").stdout_bytes == FIRST


def test_the_form_of_ids_is_chosen_at_init(run, tmp_path):
    run("init --relay-id-form pr-#####")
    (tmp_path / "r.csv").write_text("id,body\npr-00001,x\npr-1,y\nrelay-0001,z\n", encoding="utf-8")
    assert "bad_id" in run("import relays r.csv", code=5).stderr
    assert run("relays exists pr-00001").stdout == "PRESENT\n"
    assert "keeps it" in run("init --relay-id-form relay-####", code=2).stderr
    assert run("--store other init --relay-id-form nothing", code=2).stdout == ""


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("", 0),
        ("--fail-on none", 0),
        ("--fail-on missing", 4),
        ("--fail-on new", 4),
        ("--fail-on new --since 2024-01-08", 0),
        ("--fail-on holes", 4),
        ("--fail-on missing --older-than 4000d", 0),
        ("--fail-on none --fail-on holes", 4),
        ("--fail-on holes --as-of 2023-01-01", 0),
        ("--since 2024-01-01 --state x", 2),
        ("--format xml", 2),
        ("--format parquet", 2),
        ("--last relay-1", 2),
    ],
)
def test_exit_codes_of_a_report(hard, options, code):
    hard(f"gaps {options}", code=code)


def test_a_report_twice_with_a_state_finds_nothing_new(hard):
    hard("gaps --state s.json --fail-on new", code=4)
    again = hard("gaps --state s.json --fail-on new --format json")
    assert not any(gap["isNew"] for gap in json.loads(again.stdout)["knownMissing"])
    hard("relays deposit -", stdin=record("relay-0011"))
    closed = json.loads(hard("gaps --state s.json --fail-on new --format json").stdout)["closed"]
    assert [gap["relayId"] for gap in closed] == ["relay-0011"]


def test_a_report_that_cannot_be_written_leaves_the_state(hard, tmp_path):
    hard("gaps --state s.json -o no/such/folder/r.html", code=2)
    assert not (tmp_path / "s.json").exists()


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("txt", "gap report as of"),
        ("json", '{"asOf":'),
        ("csv", "relay_id,named_by,first_named_at,age_seconds,previous_present"),
        ("md", "# Gap report"),
        ("html", "<!doctype html>"),
        ("prom", "# HELP mazarbul_relays_present"),
    ],
)
def test_the_ending_of_a_file_chooses_the_form(hard, tmp_path, ending, begins):
    hard(f"gaps -o r.{ending}")
    assert (tmp_path / f"r.{ending}").read_text(encoding="utf-8").startswith(begins)


def test_reading_never_writes(hard, tmp_path):
    def files():
        folder = tmp_path / "mazarbul-store"
        return {p: p.stat().st_mtime_ns for p in folder.rglob("*")}

    before = files()
    for line in (
        "relays list",
        "relays get relay-0003",
        "relays exists relay-0011",
        "relays replies relay-0011",
        "gaps --format html",
    ):
        hard(line)
    assert files() == before


def test_the_sample_data(run):
    sample = Path(__file__).parents[2] / "data" / "relays.csv"
    run("init --relay-id-form pep-####")
    run(f"import relays {shlex.quote(str(sample))} --trust-deposited-at")
    report = Store("mazarbul-store").gaps()
    assert (report.present, report.missing, report.late.num_rows) == (398, 42, 4)
    assert report.holes["first"].to_pylist() == ["pep-0300", "pep-0388"]
