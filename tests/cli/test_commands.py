"""Real commands against real stores: answers, messages, exit codes, formats, defaults."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import click
import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from mazarbul_analytics import Store
from mazarbul_analytics.cli import cli
from mazarbul_analytics.cli.commands import example_of
from mazarbul_analytics.rules import names
from mazarbul_analytics.schema import RESULTS

JEFF = names.entity_uid("jeff")
ACME = names.entity_uid("acme corp")
WORKS = names.relation_uid("project", JEFF, "works_at", ACME)
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z"

COLUMNS = ["direction", *RESULTS["history"].names]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run command lines in a folder of their own, with the switches unset."""
    monkeypatch.chdir(tmp_path)
    for variable in ("MAZARBUL_STORE", "ENABLE_MEMORY", "COMPACT_RESPONSES", "MAZARBUL_DEBUG"):
        monkeypatch.delenv(variable, raising=False)

    def call(line, code=0, stdin=None, **env):
        args = shlex.split(line) if isinstance(line, str) else line
        result = CliRunner(env=env).invoke(cli, args, input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.stderr
        return result

    return call


TOLD = """relate Jeff works_at "Acme Corp" --valid-from 2019-01-01 --attributes '{"b":1,"a":2}'"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make an empty store and one that knows where Jeff works, once; tests get copies."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("empty", "jeff"):
        Store(folder / name, create=True)
    result = CliRunner().invoke(cli, ["--store", str(folder / "jeff"), *shlex.split(TOLD)])
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def store(run, made):
    """Run command lines in a folder that holds an empty store."""
    shutil.copytree(made / "empty", "mazarbul-store")
    return run


@pytest.fixture
def jeff(run, made):
    """Run command lines in a folder whose store knows where Jeff works."""
    shutil.copytree(made / "jeff", "mazarbul-store")
    return run


def rows(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


# -- init -----------------------------------------------------------------------------------------


def test_init_and_again(run, tmp_path):
    result = run("init")
    assert result.stdout == ""
    assert result.stderr == "store ready: mazarbul-store\n"
    assert (tmp_path / "mazarbul-store" / "catalog.duckdb").is_file()
    run("relate Jeff works_at Acme")
    run("init")
    assert len(rows(run("relations Jeff"))) == 1


def test_no_store_says_how_to_make_one(run):
    result = run("info", code=1)
    assert result.stdout == ""
    assert "init" in result.stderr


@pytest.mark.parametrize("how", ["option", "variable"])
def test_another_store(run, how):
    if how == "option":
        run("--store 'my store' init")
        run("--store 'my store' relate a b c")
        found = run("--store 'my store' entities --format csv")
    else:
        run("init", MAZARBUL_STORE="my store")
        run("relate a b c", MAZARBUL_STORE="my store")
        found = run("entities --format csv", MAZARBUL_STORE="my store")
    assert len(found.stdout.splitlines()) == 3


# -- relate ---------------------------------------------------------------------------------------

COMPACT = (
    f'{{"ok":true,"rel":"{WORKS[:8]}","from":{{"id":"{JEFF[:8]}","n":"Jeff","t":"person"}},'
    f'"to":{{"id":"{ACME[:8]}","n":"Acme Corp","t":"organization"}}}}\n'
)
VERBOSE = f"""\
{{
  "success": true,
  "message": "Created relation: Jeff works_at Acme Corp",
  "relationId": "{WORKS}",
  "fromEntity": {{
    "id": "{JEFF}",
    "name": "Jeff",
    "type": "person"
  }},
  "toEntity": {{
    "id": "{ACME}",
    "name": "Acme Corp",
    "type": "organization"
  }}
}}
"""


def test_relate_answers_compactly_and_a_duplicate_alike(store):
    for _ in range(2):
        result = store('relate Jeff works_at "Acme Corp"')
        assert result.stdout == COMPACT
        assert result.stderr == ""


@pytest.mark.parametrize(
    ("flag", "env", "answer"),
    [
        ("--verbose", {}, VERBOSE),
        ("", {"COMPACT_RESPONSES": "false"}, VERBOSE),
        ("", {"COMPACT_RESPONSES": "0"}, VERBOSE),
        ("", {"COMPACT_RESPONSES": ""}, VERBOSE),
        ("--verbose", {"COMPACT_RESPONSES": "true"}, VERBOSE),
        ("", {"COMPACT_RESPONSES": "TRUE"}, COMPACT),
    ],
)
def test_relate_answers_verbosely(store, flag, env, answer):
    for _ in range(2):
        assert store(f'relate Jeff works_at "Acme Corp" {flag}', **env).stdout == answer


def test_relate_takes_names_and_relation_in_any_form(store):
    store('relate Jeff works_at "Acme Corp"')
    assert store(["relate", " jeff ", "Works-At", "ACME\tcorp"]).stdout == COMPACT
    assert store(f"relate entities/{JEFF} 'works at' {ACME.upper()}").stdout == COMPACT


def test_relate_writes_what_its_options_say(store):
    store(
        "relate Jeff likes Tea --from-type Robot --to-type 'Hot Drink' --scope personal"
        " --valid-from 2020-01-01T02:00:00+02:00 --valid-to 2021-01-01 --source-event ep-1"
        " --attributes '{\"n\":12345678901234567890}'"
    )
    (row,) = rows(store("relations Jeff --at 2020-06-01"))
    assert row["subject_type"] == "robot"
    assert row["object_type"] == "hot_drink"
    assert row["scope"] == "personal"
    assert row["valid_from"] == "2020-01-01T00:00:00Z"
    assert row["valid_to"] == "2021-01-01T00:00:00Z"
    assert row["source_event_uid"] == "ep-1"
    assert row["attributes"] == {"n": 12345678901234567890}


def test_relate_says_when_a_type_was_not_applied(jeff):
    result = jeff('relate Jeff works_at "Acme Corp" --from-type robot')
    assert result.stdout == COMPACT
    assert result.stderr == "note: Jeff keeps its type person; robot was not applied\n"


def test_relate_exclusive(jeff):
    jeff("relate Jeff works_at Initech --valid-from 2020-03-01 --exclusive")
    found = rows(jeff("relations Jeff --include-inactive"))
    assert [(r["object"], r["valid_to"], r["status"]) for r in found] == [
        ("Initech", None, "live"),
        ("Acme Corp", "2020-03-01T00:00:00Z", "expired"),
        ("Acme Corp", None, "superseded"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "relate Jeff knows jeff",
        "relate '' knows Bob",
        "relate Jeff '' Bob",
        f"relate {'x' * 201} knows Bob",
        f"relate Jeff {'x' * 101} Bob",
        "relate Jeff knows Bob --scope world",
        "relate Jeff knows Bob --valid-from yesterday",
        "relate Jeff knows Bob --valid-from 2020-01-01T12:00:00",
        "relate Jeff knows Bob --valid-from 2020-01-01 --valid-to 2020-01-01",
        "relate Jeff knows Bob --valid-from 2020-01-02 --valid-to 2020-01-01",
        "relate Jeff knows Bob --valid-to 2020-01-01",
        "relate Jeff knows Bob --attributes [1]",
        "relate Jeff knows Bob --from-type 1x",
    ],
)
def test_relate_refuses_and_leaves_nothing(store, line):
    result = store(line, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert store("entities").stdout == ""


def test_relate_takes_the_longest_names(store):
    store(f"relate {'x' * 200} {'y' * 100} {'z' * 200}")


def test_relate_refuses_an_unknown_uid(store):
    uid = "00000000-0000-4000-8000-000000000000"
    assert uid in store(f"relate entities/{uid} knows Bob", code=3).stderr
    assert uid in store(f"relate Bob knows {uid}", code=3).stderr


@pytest.mark.parametrize(
    "line",
    [
        "relate a b c",
        'unrelate Jeff works_at "Acme Corp"',
        f"retract {WORKS}",
        "import relations edges.csv",
        "import entities entities.csv",
    ],
)
@pytest.mark.parametrize("value", ["false", "no", ""])
def test_writing_disabled(jeff, tmp_path, line, value):
    (tmp_path / "edges.csv").write_text("from,relation,to\na,b,c\n")
    (tmp_path / "entities.csv").write_text("name\na\n")
    result = jeff(line, code=2, ENABLE_MEMORY=value)
    assert result.stdout == ""
    assert "Memory not enabled" in result.stderr
    assert len(rows(jeff("relations Jeff", ENABLE_MEMORY=value))) == 1
    assert len(rows(jeff("entities"))) == 2


def test_writing_enabled_in_any_case(store):
    assert store('relate Jeff works_at "Acme Corp"', ENABLE_MEMORY="True").stdout == COMPACT


# -- unrelate, retract ----------------------------------------------------------------------------


def test_unrelate_from_now_on(jeff):
    answer = f'{{"ok":true,"status":"removed","rel":"{WORKS[:8]}"}}\n'
    assert jeff('unrelate Jeff works_at "Acme Corp"').stdout == answer
    assert jeff("relations Jeff").stdout == ""
    assert len(rows(jeff("relations Jeff --at 2020-01-01"))) == 1
    again = jeff('unrelate jeff works-at "acme corp"')
    assert again.stdout == answer.replace("removed", "unchanged")


def test_unrelate_a_portion(jeff):
    jeff('unrelate Jeff works_at "Acme Corp" --from 2020-01-01 --to 2021-01-01')
    live = [len(rows(jeff(f"relations Jeff --at {year}-06-01"))) for year in (2019, 2020, 2021)]
    assert live == [1, 0, 1]


def test_unrelate_in_another_scope_is_unknown(jeff):
    assert jeff('unrelate Jeff works_at "Acme Corp" --scope team', code=3).stdout == ""


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("unrelate Jeff knows 'Acme Corp'", 3),
        ("unrelate Jeff works_at Nobody", 3),
        ("unrelate Jeff works_at 'Acme Corp' --from 2021-01-01 --to 2020-01-01", 2),
        ("retract 00000000-0000-8000-a000-000000000000", 3),
        ("retract Jeff", 2),
    ],
)
def test_removals_that_fail(jeff, line, code):
    result = jeff(line, code=code)
    assert result.stdout == ""
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert len(rows(jeff("relations Jeff"))) == 1


def test_retract(jeff):
    answer = f'{{"ok":true,"status":"removed","rel":"{WORKS[:8]}"}}\n'
    assert jeff(f"retract {WORKS}").stdout == answer
    assert jeff("relations Jeff --at 2020-01-01").stdout == ""
    (row,) = rows(jeff("relations Jeff --include-inactive"))
    assert row["status"] == "retracted"
    assert jeff(f"retract {WORKS}").stdout == answer.replace("removed", "unchanged")


# -- relations, history ---------------------------------------------------------------------------


def test_relations_as_one_object(jeff):
    text = jeff("relations jeff --at 2024-01-01 --format json").stdout
    entity = f'{{"uid":"{JEFF}","name":"Jeff","type":"person"}}'
    pattern = (
        f'{{"entity":{entity},"at":"2024-01-01T00:00:00Z","asOf":null,"relations":['
        f'{{"relationUid":"{WORKS}","direction":"outgoing","predicate":"works_at",'
        f'"subject":{entity},"object":{{"uid":"{ACME}","name":"Acme Corp","type":"organization"}},'
        '"attributes":{"a":2,"b":1},"scope":"project","validFrom":"2019-01-01T00:00:00Z",'
        '"validTo":null,"recordedAt":"INSTANT","supersededAt":null,"status":"live",'
        '"sourceEventUid":null,"version":1}],"total":1,"truncated":false}\n'
    )
    assert re.fullmatch(re.escape(pattern).replace("INSTANT", INSTANT), text)


def test_relations_without_rows_are_an_object_too(jeff):
    found = json.loads(
        jeff("relations Jeff --as-of 2018-01-01T00:00:00+00:00 --format json").stdout
    )
    assert re.fullmatch(INSTANT, found.pop("at"))
    assert found == {
        "entity": {"uid": JEFF, "name": "Jeff", "type": "person"},
        "asOf": "2018-01-01T00:00:00Z",
        "relations": [],
        "total": 0,
        "truncated": False,
    }


def test_relations_are_json_lines_in_a_pipe(jeff):
    result = jeff("relations 'acme corp'")
    (row,) = rows(result)
    assert list(row) == COLUMNS
    assert row["direction"] == "incoming"
    assert row["attributes"] == {"a": 2, "b": 1}
    assert result.stderr == ""


def test_relations_in_every_format(jeff, tmp_path):
    found = list(csv.reader(io.StringIO(jeff("relations Jeff --format csv").stdout, newline="")))
    assert found[0] == COLUMNS
    assert dict(zip(*found, strict=True))["attributes"] == '{"a":2,"b":1}'
    table = jeff("relations Jeff --format table").stdout
    assert table.split()[: len(COLUMNS)] == COLUMNS
    assert "Acme Corp" in table
    for name in ("x.parquet", "x.csv", "x.jsonl", "x.json"):
        result = jeff(f"relations Jeff -o {name}")
        assert result.stdout == ""
        assert (tmp_path / name).stat().st_size
    assert pq.read_table(tmp_path / "x.parquet").column_names == COLUMNS
    assert json.loads((tmp_path / "x.json").read_text())["total"] == 1
    assert jeff("relations Jeff --format parquet", code=2).stdout == ""


def test_relations_limit_and_what_was_cut(jeff):
    for name in ("A", "B", "C"):
        jeff(f"relate Jeff knows {name} --valid-from 2020-01-01")
    cut = jeff("relations Jeff --limit 3")
    assert len(rows(cut)) == 3
    assert cut.stderr == "3 of 4 relations; --limit 4 shows all\n"
    found = json.loads(jeff("relations Jeff --limit 3 --format json").stdout)
    assert (found["total"], found["truncated"], len(found["relations"])) == (4, True, 3)


def test_relations_default_limit_is_50(store, tmp_path):
    lines = "".join(f"Hub,knows,p{n}\n" for n in range(51))
    (tmp_path / "edges.csv").write_text("from,relation,to\n" + lines)
    store("import relations edges.csv")
    result = store("relations Hub")
    assert len(rows(result)) == 50
    assert result.stderr == "50 of 51 relations; --limit 51 shows all\n"


def test_relations_filters(jeff):
    jeff("relate Jeff knows Ann --scope personal")
    jeff("relate Jeff knows Bob --scope team")
    jeff("relate Jeff likes Tea")

    def found(options):
        return sorted(row["object"] for row in rows(jeff(f"relations Jeff {options}")))

    assert found("") == ["Acme Corp", "Ann", "Tea"]
    assert found("--scope team") == ["Bob"]
    assert found("--scope team --scope personal") == ["Ann", "Bob"]
    assert found("--predicate Knows") == ["Ann"]
    assert found("--predicate knows --predicate works-at") == ["Acme Corp", "Ann"]
    assert found("--predicate k%") == []


def test_as_of_hides_what_was_recorded_later(jeff):
    (row,) = rows(jeff("relations Jeff"))
    jeff('unrelate Jeff works_at "Acme Corp" --from 2020-01-01')
    assert jeff("relations Jeff").stdout == ""
    assert rows(jeff(f"relations Jeff --as-of {row['recorded_at']}")) == [row]
    assert jeff("relations Jeff --as-of 2018-01-01").stdout == ""


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("relations Nobody", 3),
        ("relations 00000000-0000-4000-8000-000000000000", 3),
        ("relations Jeff --at 2024-01-01T10:00:00", 2),
        ("relations Jeff --as-of never", 2),
        ("relations Jeff --scope world", 2),
        ("relations Jeff --limit 0", 2),
        ("relations ''", 2),
        ("history Nobody", 3),
        ("entity Nobody", 3),
    ],
)
def test_reads_that_fail(jeff, line, code):
    result = jeff(line, code=code)
    assert result.stdout == ""
    assert 1 <= len(result.stderr.splitlines()) <= 2


def test_near_names_are_told_with_their_uids(jeff):
    message = jeff("relations Jef", code=3).stderr
    assert "Jeff" in message
    assert JEFF in message


def test_history(jeff):
    jeff('relate Jeff works_at "Acme Corp" --valid-from 2022-01-01 --attributes \'{"a":3}\'')
    found = rows(jeff("history Jeff"))
    assert list(found[0]) == COLUMNS[1:]
    assert [(r["status"], r["attributes"]) for r in found] == [
        ("live", {"a": 3}),
        ("expired", {"a": 2, "b": 1}),
        ("superseded", {"a": 2, "b": 1}),
    ]
    assert json.loads(jeff("history Jeff --format json").stdout) == found
    assert len(rows(jeff(f"history Jeff --as-of {found[2]['recorded_at']}"))) == 1
    assert jeff("history Jeff --predicate knows").stdout == ""
    assert jeff("history Jeff --scope team").stdout == ""


# -- entities, entity, sql ------------------------------------------------------------------------


def test_entities(jeff):
    jeff("relate 100%_pure knows Zoë")
    found = rows(jeff("entities"))
    assert list(found[0]) == ["entity_uid", "name", "type", "recorded_at"]
    assert {row["name"] for row in found} == {"Jeff", "Acme Corp", "100%_pure", "Zoë"}
    assert [row["name"] for row in rows(jeff("entities --like ACME"))] == ["Acme Corp"]
    assert [row["name"] for row in rows(jeff("entities --like %_"))] == ["100%_pure"]
    assert jeff("entities --like nobody --format json").stdout == "[]\n"


def test_entity(jeff):
    row = {"entity_uid": JEFF, "name": "Jeff", "type": "person"}
    for reference in ("jeff", JEFF, f"entities/{JEFF}"):
        assert rows(jeff(f"entity {reference}")) == [row]
    assert json.loads(jeff("entity Jeff --format json").stdout) == [row]


def test_an_ambiguous_name_lists_its_candidates(store, tmp_path):
    uids = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
    lines = "".join(f"{uid},Kim,person\n" for uid in uids)
    (tmp_path / "entities.csv").write_text("uid,name,type\n" + lines)
    store("import entities entities.csv")
    for line in ("entity kim", "relations Kim", "relate Kim knows Bob"):
        message = store(line, code=3).stderr
        assert all(uid in message for uid in uids)
    assert rows(store(f"entity {uids[1]}"))[0]["entity_uid"] == uids[1]


def test_sql(jeff):
    line = "sql 'select subject, object from relations_now'"
    assert rows(jeff(line)) == [{"subject": "Jeff", "object": "Acme Corp"}]
    answer = b"subject,object\r\nJeff,Acme Corp\r\n"
    assert jeff(f"{line} --format csv").stdout_bytes == answer
    assert jeff("sql -", stdin="select 'é' as a;\n-- done\n").stdout == '{"a":"é"}\n'


def test_sql_binds_instants(jeff):
    line = "sql 'select count(*) as n from relations_at($at, $as_of)'"
    assert rows(jeff(line)) == [{"n": 1}]
    assert rows(jeff(f"{line} --at 2018-01-01")) == [{"n": 0}]
    assert rows(jeff(f"{line} --as-of 2018-01-01")) == [{"n": 0}]
    assert rows(jeff("sql 'select $at as t' --at 2024-01-01T00:00:00+01:00")) == [
        {"t": "2023-12-31T23:00:00Z"}
    ]


@pytest.mark.parametrize(
    "line",
    [
        "sql 'selec 1'",
        "sql ''",
        "sql 'select 1; select 2'",
        "sql 'create table t (a int)'",
        "sql \"copy (select 1) to 'x.csv'\"",
        "sql 'select * from nothing_like_it'",
        "sql 'select nothing from entities'",
        "sql \"select cast('x' as integer)\"",
        "sql 'select $other'",
        "sql 'select 1' --at 2024-01-01",
        "sql 'select $at' --at 2024-01-01T10:00:00",
    ],
)
def test_sql_refuses(jeff, tmp_path, line):
    result = jeff(line, code=2)
    assert result.stdout == ""
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert not (tmp_path / "x.csv").exists()


# -- import ---------------------------------------------------------------------------------------

EDGES = """\
from,relation,to,valid_from,attributes,salary
Jeff,works_at,Acme Corp,2019-01-01,,1
Jeff,works_at,Acme Corp,2019-01-01,,2
Ann,knows,ann,,,3
Ann,knows,Bob,2020-13-01,,4
Ann,knows,Bob,,"{""since"":2}",5
"""


def test_import_relations(store, tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    result = store("import relations edges.csv --rejects rejects.csv", code=5)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0] == (
        "5 rows: 2 created, 1 duplicates, 0 corrected, 0 removed, 0 unchanged, 2 rejected"
    )
    assert re.fullmatch(r"\d+\.\d\d s, [\d,]+ rows/s", lines[1])
    assert "ignored columns: salary" in lines
    assert any("line 4" in line and "self_reference" in line for line in lines)
    assert "rejected: edges.csv, line 5, valid_from: bad_instant '2020-13-01'" in lines
    assert "all rejected rows: rejects.csv" in lines
    found = list(csv.DictReader((tmp_path / "rejects.csv").read_text().splitlines()))
    assert [(row["line"], row["reason"]) for row in found] == [
        ("4", "self_reference"),
        ("5", "bad_instant"),
    ]
    assert list(found[0]) == ["file", "line", "column", "reason", "value"]
    assert len(rows(store("relations Ann"))) == 1


def test_import_answers_one_object(store, tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    found = json.loads(store("import relations edges.csv --format json", code=5).stdout)
    assert found.pop("seconds") >= 0
    assert found.pop("rowsPerSecond") is not None
    assert found == {
        "rows": 5,
        "created": 2,
        "duplicates": 1,
        "corrected": 0,
        "removed": 0,
        "unchanged": 0,
        "rejected": 2,
        "ignoredColumns": ["salary"],
        "skipped": [],
        "typeConflicts": 0,
        "lostDigits": 0,
        "dryRun": False,
    }


def test_import_again_is_skipped(store, tmp_path):
    (tmp_path / "edges.csv").write_text("from,relation,to,valid_from\nJeff,knows,Bob,2020-01-01\n")
    store("import relations edges.csv")
    second = store("import relations edges.csv --format json")
    found = json.loads(second.stdout)
    assert found["rows"] == 0
    assert [Path(file).name for file in found["skipped"]] == ["edges.csv"]
    assert "--again" in second.stderr
    again = json.loads(store("import relations edges.csv --again --format json").stdout)
    assert (again["rows"], again["duplicates"]) == (1, 1)


def test_import_dry_run_writes_nothing(store, tmp_path):
    (tmp_path / "edges.csv").write_text("from,relation,to\nJeff,knows,Bob\n")
    result = store("import relations edges.csv --dry-run --format json")
    assert json.loads(result.stdout)["created"] == 1
    assert result.stderr.startswith("dry run: nothing was written\n")
    assert store("entities").stdout == ""


def test_import_abort_writes_nothing(store, tmp_path):
    (tmp_path / "edges.csv").write_text(EDGES)
    result = store("import relations edges.csv --on-error abort", code=5)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert store("entities").stdout == ""


def test_import_options(store, tmp_path):
    (tmp_path / "a.csv").write_text(
        "Employee Name;relation;to;valid_from\nJeff;works_at;Acme;2020-07-01 12:00:00\n"
        "Jeff;works_at;Initech;2021-07-01\n",
        encoding="latin-1",
    )
    store(
        "import relations a.csv --map subject='Employee Name' --delimiter ';' --encoding latin-1"
        " --timezone Europe/Berlin --scope team --exclusive works_at"
    )
    found = rows(store("relations Jeff --scope team --include-inactive"))
    assert {(r["object"], r["valid_from"], r["valid_to"]) for r in found} == {
        ("Acme", "2020-07-01T10:00:00Z", "2021-06-30T22:00:00Z"),
        ("Initech", "2021-06-30T22:00:00Z", None),
    }


def test_import_trusts_recorded_at(store, tmp_path):
    (tmp_path / "a.csv").write_text(
        "from,relation,to,recorded_at\nJeff,knows,Bob,2020-01-01T00:00:00Z\n"
    )
    store("import relations a.csv --trust-recorded-at")
    (row,) = rows(store("relations Jeff --as-of 2020-06-01"))
    assert row["recorded_at"] == row["valid_from"] == "2020-01-01T00:00:00Z"


def test_import_many_and_a_pattern(store, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"from,relation,to\n{name},knows,Bob\n")
    pl.DataFrame({"from": ["c"], "relation": ["knows"], "to": ["Bob"]}).write_parquet("c.parquet")
    found = json.loads(store("import relations '*.csv' c.parquet --format json").stdout)
    assert found["created"] == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [("from,to\na,b\n", 5), ("from,From,relation,to\na,b,c,d\n", 5), ('from,relation,to\n"a', 5)],
)
def test_import_of_a_file_that_is_no_table(store, tmp_path, text, code):
    (tmp_path / "edges.csv").write_text(text)
    result = store("import relations edges.csv", code=code)
    assert result.stdout == ""
    assert "edges.csv" in result.stderr
    assert 1 <= len(result.stderr.splitlines()) <= 2
    assert store("entities").stdout == ""


def test_import_entities(store, tmp_path):
    (tmp_path / "entities.csv").write_text("name,type\nJeff,person\nJeff,person\n,person\n")
    result = store("import entities entities.csv --format json", code=5)
    found = json.loads(result.stdout)
    assert (found["rows"], found["created"], found["rejected"]) == (3, 1, 1)
    assert rows(store("entity Jeff"))[0]["type"] == "person"


# -- keeping --------------------------------------------------------------------------------------


def test_keeping(jeff):
    jeff("catalog")  # the store was copied: its door still names the old folder
    assert jeff("check").stdout == ""
    for line in ("optimize", "vacuum --older-than 7d", "catalog"):
        result = jeff(line)
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
    assert len(rows(jeff("relations Jeff"))) == 1
    assert {row["severity"] for row in rows(jeff("check"))} <= {"info"}
    (found,) = json.loads(jeff("info --format json").stdout)
    assert (found["entities"], found["relations"]) == (2, 1)
    assert "relations" in jeff("info --format table").stdout
    with duckdb.connect("mazarbul-store/catalog.duckdb", read_only=True) as door:
        assert door.execute("select count(*) from relations_now").fetchone() == (1,)


@pytest.mark.parametrize("duration", ["seven", "-1d", "7"])
def test_vacuum_refuses_what_is_no_duration(jeff, duration):
    assert duration in jeff(["vacuum", "--older-than", duration], code=2).stderr


def test_check_finds_damage(jeff, tmp_path):
    (file,) = (tmp_path / "mazarbul-store" / "relations").glob("*.parquet")
    file.write_bytes(file.read_bytes()[:100])
    result = jeff("check --format json", code=1)
    assert "error" in {row["severity"] for row in json.loads(result.stdout)}
    assert result.stderr.startswith("error: ")


# -- the examples of the help ---------------------------------------------------------------------


def command_examples(command=cli):
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            yield from command_examples(command.get_command(ctx, name))
    yield example_of(command)


def test_every_example_runs(run, tmp_path):
    (tmp_path / "edges.csv").write_text(
        "Employee Name,relation,to\nJeff,works_at,Acme Corp\nAnn,knows,Jeff\n"
    )
    (tmp_path / "entities.csv").write_text("name,type\nAnn,person\n")
    store = Store("mazarbul-store", create=True)
    store.relate("Ann", "knows", "Jeff")
    (tmp_path / "records").mkdir()
    for place in ("relay-0733.txt", "records/relay-0733.txt"):
        (tmp_path / place).write_text("@p-e/x0\nid: relay-0733\n\nbody\n")
    (tmp_path / "more-relays.csv").write_text("id,refs,body\nrelay-0734,relay-0733,b\n")
    (tmp_path / "probes.csv").write_text("who,when\nJeff,2024-01-01\n")
    for example in command_examples():
        words = shlex.split(example)
        assert words.pop(0) == "mazarbul"
        if "publish" in words:
            continue  # needs a server: tests/test_publish.py
        if "import" in words and "--map" not in words and "relations" in words:
            words += ["--map", "from=Employee Name"]
        run(words)
