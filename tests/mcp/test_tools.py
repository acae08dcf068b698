"""What agents see: listing, answers to the letter, errors, the switches; over stdio."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys

import pytest
from faces import parameters, run, served
from jsonschema import Draft202012Validator

from mazarbul_analytics import Store
from mazarbul_analytics.mcp import TOOLS

WRITING = {"relate_entities", "unrelate", "append_relay"}
VERBOSE = """\
{
  "success": true,
  "message": "Created relation: Jeff works_at Acme Corp",
  "relationId": "9bb696c8-beb9-88ef-a02e-8e90074dcee8",
  "fromEntity": {
    "id": "4e81f329-4805-8e02-ab0f-a6b0ca88a015",
    "name": "Jeff",
    "type": "person"
  },
  "toEntity": {
    "id": "649e8494-51f2-872a-ae67-e9f56d54bc71",
    "name": "Acme Corp",
    "type": "organization"
  }
}"""
JEFF = {"fromEntity": "Jeff", "relation": "works_at", "toEntity": "Acme Corp"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store that the command line wrote."""
    path = tmp_path_factory.mktemp("tools") / "store"
    for args in (
        ["init"],
        ["relate", "Jeff", "works_at", "Acme Corp", "--valid-from", "2019-01-01"],
        ["relate", "Ann", "knows", "Jeff", "--attributes", '{"big":123456789012345678901234}'],
        ["relate", "Ann", "lives_in", "Oslo", "--attributes", '{"far":1e999999}'],
    ):
        result = run(path, *args)
        assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def agent(store):
    with served(store) as agent:
        yield agent


def text(result):
    assert len(result.content) == 1
    return result.content[0].text


# -- the listing ---------------------------------------------------------------------------------


def test_the_tools(agent):
    assert list(agent.tools()) == [
        "relations", "get_entity_context", "neighbors", "entities", "relate_entities", "unrelate",
        "list_relays", "get_relay", "exists", "list_replies", "append_relay", "gaps",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "taken", "required"),
    [
        (
            "relations",
            ["entity", "at", "asOf", "limit", "scopes", "predicates", "includeInactive"],
            ["entity"],
        ),
        (
            "relate_entities",
            ["fromEntity", "relation", "toEntity", "fromEntityType", "toEntityType"],
            ["fromEntity", "relation", "toEntity"],
        ),
        ("list_relays", ["after"], []),
    ],
)
def test_the_three_known_ones_take_what_is_known(agent, name, taken, required):
    schema = agent.tools()[name].input_schema
    assert list(schema["properties"]) == taken
    assert schema["required"] == required


def test_defaults_are_told(agent):
    tools = agent.tools()
    defaults = {
        f"{name}.{key}": value["default"]
        for name in ("relations", "neighbors")
        for key, value in tools[name].input_schema["properties"].items()
        if "default" in value
    }
    assert defaults == {
        "relations.limit": 50,
        "relations.scopes": ["project", "personal"],
        "relations.includeInactive": False,
        "neighbors.depth": 2,
        "neighbors.scopes": ["project", "personal"],
        "neighbors.direction": "both",
        "neighbors.limit": 50,
    }


def test_required_answers(agent):
    tools = agent.tools()
    assert tools["relations"].output_schema["required"] == ["relations"]
    assert tools["list_relays"].output_schema["required"] == ["present", "knownMissing", "after"]


def test_every_tool_tells_enough(agent):
    names = {tool.name for tool in TOOLS}
    for name, tool in agent.tools().items():
        assert len(tool.description) > 100
        assert tool.title
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert all(p["description"] for p in tool.input_schema["properties"].values())
        assert tool.annotations.read_only_hint is (name not in WRITING)
        assert tool.annotations.destructive_hint is (name == "unrelate")
        assert tool.annotations.idempotent_hint is (name != "append_relay")
        assert tool.annotations.open_world_hint is False
        # a sibling to use instead is named, and it is there
        named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", tool.description)) - {"works_at"}
        assert named <= names


# -- answers -------------------------------------------------------------------------------------


def test_relate_answers_to_the_letter(agent):
    result = agent.ask("relate_entities", JEFF)
    assert text(result) == (
        '{"ok":true,"rel":"9bb696c8","from":{"id":"4e81f329","n":"Jeff","t":"person"},'
        '"to":{"id":"649e8494","n":"Acme Corp","t":"organization"}}'
    )
    assert result.structured_content == json.loads(text(result))


def test_the_verbose_answer_to_the_letter(store):
    with served(store, COMPACT_RESPONSES="false") as agent:
        result = agent.ask("relate_entities", JEFF)
        schema = agent.tools()["relate_entities"].output_schema
        removed = agent.ask(
            "unrelate", {**JEFF, "validTo": "2000-01-01", "validFrom": "1999-01-01"}
        )
    assert text(result) == VERBOSE
    assert schema["required"] == ["success", "message", "relationId", "fromEntity", "toEntity"]
    assert text(removed) == '{"ok":true,"status":"unchanged","rel":"9bb696c8"}'


def test_relations_answers_as_the_command_line(agent, store):
    asked = {"entity": "Jeff", "at": "2030-01-01", "asOf": "2999-01-01"}
    result = agent.ask("relations", asked)
    same = run(store, "relations", "Jeff", "--at", "2030-01-01", "--as-of", "2999-01-01",
               "--format", "json")  # fmt: skip
    assert text(result) + "\n" == same.stdout
    assert result.structured_content == json.loads(text(result))


def test_a_number_that_readers_cannot_hold(agent):
    result = agent.ask("relations", {"entity": "Ann", "predicates": ["lives_in"]})
    assert '"attributes":{"far":1e999999}' in text(result)
    assert result.structured_content["relations"][0]["attributes"] == {"far": "1e999999"}
    result = agent.ask("relations", {"entity": "Ann", "predicates": ["knows"]})
    attributes = result.structured_content["relations"][0]["attributes"]
    assert attributes == {"big": 123456789012345678901234}


def test_context_tells_both_directions_apart(agent):
    found = agent.call("get_entity_context", {"entity": "jeff"})
    assert [r["object"]["name"] for r in found["outgoing"]] == ["Acme Corp"]
    assert [r["subject"]["name"] for r in found["incoming"]] == ["Ann"]
    assert (found["entity"]["name"], found["total"], found["truncated"]) == ("Jeff", 2, False)


def test_neighbors(agent):
    found = agent.call("neighbors", {"entity": "Acme Corp", "limit": 1})
    assert found["neighbors"][0]["path"] == ["Acme Corp", "Jeff"]
    assert (found["total"], found["truncated"]) == (2, True)
    assert agent.call("neighbors", {"entity": "Acme Corp", "direction": "outgoing"}) == {
        "neighbors": [], "total": 0, "truncated": False,
    }  # fmt: skip


def test_entities(agent):
    found = agent.call("entities", {"like": "CORP"})
    assert [(e["name"], e["type"]) for e in found["entities"]] == [("Acme Corp", "organization")]
    assert agent.call("entities", {"like": "%"})["total"] == 0
    assert agent.call("entities", {"limit": 2})["truncated"] is True


def test_unrelate_ends_and_hides_nothing(agent):
    key = {"fromEntity": "Eve", "relation": "likes", "toEntity": "Cake"}
    agent.call("relate_entities", key)
    done = agent.ask("unrelate", {**key, "validFrom": "-infinity"})
    assert json.loads(text(done))["status"] == "removed"
    assert agent.call("unrelate", key)["status"] == "unchanged"
    assert agent.call("relations", {"entity": "Eve"})["total"] == 0
    assert agent.call("relations", {"entity": "Eve", "includeInactive": True})["total"] == 1


def test_relays(agent):
    record = "@p-e/x0\nparent: relay-0002\nref: relay-0003\n\nÄrger \U0001f6a7\r\n"
    sha256 = hashlib.sha256(record.encode()).hexdigest()
    done = agent.ask("append_relay", {"record": record, "id": "relay-0001"})
    assert text(done) == (
        f'{{"ok":true,"status":"created","relay":"relay-0001","sha256":"{sha256}"}}'
    )
    assert agent.call("append_relay", {"record": record, "id": "relay-0001"})["status"] == (
        "duplicate"
    )
    refused = agent.call("append_relay", {"record": record + "!", "id": "relay-0001"})
    assert refused == f"error: relay-0001 holds other bytes: held sha256 {sha256}"
    listed = agent.ask("list_relays")
    assert text(listed) == "present (1): relay-0001\nknown missing (2): relay-0002 relay-0003"
    assert listed.structured_content == {
        "present": ["relay-0001"],
        "knownMissing": ["relay-0002", "relay-0003"],
        "after": None,
    }
    assert text(agent.ask("list_relays", {"after": "relay-0003"})) == (
        "present (0): —\nknown missing (0): —"
    )
    got = agent.ask("get_relay", {"id": "relay-0001"})
    assert text(got) == record
    assert got.structured_content == {
        "relayId": "relay-0001", "sha256": sha256, "encoding": "utf-8", "record": record,
    }  # fmt: skip
    assert agent.call("get_relay", {"id": "relay-0002"}) == (
        "error: 'relay-0002' is not held: KNOWN_MISSING (a held record names it)"
    )
    states = [text(agent.ask("exists", {"id": f"relay-000{n}"})) for n in (1, 2, 4)]
    assert states == ["PRESENT", "KNOWN_MISSING", "UNKNOWN"]
    replies = agent.call("list_replies", {"id": "relay-0003"})["replies"]
    assert [(r["relayId"], r["via"]) for r in replies] == [("relay-0001", "ref")]
    gaps = agent.call("gaps")
    assert [g["relayId"] for g in gaps["knownMissing"]] == ["relay-0002", "relay-0003"]


def test_bytes_that_are_no_text(agent):
    data = b"@p-e/x0\nid: relay-0009\n\n\xff\xfe"
    given = base64.b64encode(data).decode()
    assert agent.call("append_relay", {"record": given, "encoding": "base64"})["ok"]
    found = agent.call("get_relay", {"id": "relay-0009"})
    assert (found["encoding"], base64.b64decode(found["record"])) == ("base64", data)


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("relations", {}, "relations needs entity: entities/{uid}, a bare uid, or the display name"
                          " in any case."),
        ("relations", {"entity": None}, "relations needs entity: entities/{uid}, a bare uid, or the"
                                        " display name in any case."),
        ("relations", {"entity": 7}, "entity is a text: 7"),
        ("relations", {"entity": "Jeff", "as_of": "2020-01-01"},
         "relations takes no 'as_of'; asOf is meant?\n"
         "It takes entity, at, asOf, limit, scopes, predicates, includeInactive."),
        ("relations", {"entity": "Jeff", "limit": 0}, "limit is a whole number, at least 1: 0"),
        ("relations", {"entity": "Jeff", "limit": 1.5}, "limit is a whole number, at least 1: 1.5"),
        ("relations", {"entity": "Jeff", "limit": True},
         "limit is a whole number, at least 1: true"),
        ("relations", {"entity": "Jeff", "limit": "5"}, "limit is a whole number, at least 1: '5'"),
        ("relations", {"entity": "Jeff", "predicates": "works_at"},
         "predicates is a list of texts, as in [\"works_at\"]: 'works_at'"),
        ("relations", {"entity": "Jeff", "scopes": ["team", 1]},
         'scopes is a list of texts, as in ["works_at"]: ["team", 1]'),
        ("relations", {"entity": "Jeff", "includeInactive": "yes"},
         "includeInactive is true or false: 'yes'"),
        ("relations", {"entity": "Nobody at all"},
         "no entity is named 'Nobody at all'\nThe tool entities lists the names that are known."),
        ("relations", {"entity": "Jefff"}, "no entity is named 'Jefff'\nNear names: Jeff"
         " (4e81f329-4805-8e02-ab0f-a6b0ca88a015)"),
        ("relate_entities", {"fromEntity": "a", "toEntity": "b"},
         "relate_entities needs relation: How the two are related, as in works_at."),
        ("unrelate", {"fromEntity": "Jeff", "relation": "eats", "toEntity": "Acme Corp"},
         "no such relation was ever recorded: Jeff eats Acme Corp\n"
         "relations with includeInactive lists what was ever recorded."),
        ("unrelate", {**JEFF, "validFrom": "2020-01-01", "validTo": "2020-01-01"},
         "the valid period [2020-01-01, 2020-01-01) is empty or reversed\n"
         "validFrom is included, validTo is excluded: give a later validTo."),
        ("unrelate", {**JEFF, "scope": "world"},
         "The scope 'world' is unknown: it is one of project, personal, team"),
        ("neighbors", {"entity": "Jeff", "direction": "up"},
         "direction is one of outgoing, incoming, both: 'up'"),
        ("append_relay", {"record": "?", "encoding": "base64"},
         "record is no base64: '?'\nLeave encoding out to give it as plain text."),
        ("append_relay", {"record": "?", "encoding": "latin-1"},
         "encoding is utf-8 or base64: 'latin-1'"),
        ("gaps", {"olderThan": "soon"}, "'soon' is no duration: write it like 30m, 12h or 7d"),
        ("list_relays", {"before": "x"}, "list_relays takes no 'before'\nIt takes after."),
    ],
)  # fmt: skip
def test_an_error_names_the_value_and_the_mend(agent, tool, arguments, error):
    result = agent.ask(tool, arguments)
    assert result.is_error
    assert result.structured_content is None
    assert json.loads(text(result)) == {"error": error}


def test_an_unknown_tool_is_a_tool_error(agent):
    result = agent.ask("nonsense")
    assert result.is_error
    assert json.loads(text(result))["error"].startswith(
        "there is no tool 'nonsense'\nThere are relations, "
    )


def test_null_means_not_given(agent):
    nulls = dict.fromkeys(["at", "asOf", "limit", "scopes", "predicates", "includeInactive"])
    assert agent.call("relations", {"entity": "Ann", **nulls})["total"] == 2
    assert agent.call("relations", {"entity": "Ann", "scopes": [], "limit": 1.0})["total"] == 2


def test_a_limit_of_any_size(agent):
    assert agent.call("relations", {"entity": "Ann", "limit": 10**40})["total"] == 2


def test_a_defect_is_a_tool_error_too(tmp_path):
    path = tmp_path / "store"
    Store(path, create=True)
    with served(path) as agent:
        assert agent.call("entities")["total"] == 0
        (path / "relations" / "_delta_log" / f"{0:020d}.json").unlink()
        assert agent.call("relations", {"entity": "Jeff"}).startswith("error: ")
        assert agent.call("nonsense").startswith("error: there is no tool")


# -- switches ------------------------------------------------------------------------------------


def test_writing_can_be_disabled(store):
    with served(store, ENABLE_MEMORY="false") as agent:
        assert WRITING.isdisjoint(agent.tools())
        assert len(agent.tools()) == len(TOOLS) - len(WRITING)
        for name, arguments in [("relate_entities", JEFF), ("unrelate", {}), ("append_relay", {})]:
            result = agent.ask(name, arguments)
            assert result.is_error
            assert text(result) == '{"error":"Memory not enabled"}'
        assert agent.call("relations", {"entity": "Jeff"})["total"] > 0


# -- the wire ------------------------------------------------------------------------------------

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


def call(number, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def test_hard_lines_do_not_stop_the_server(store):
    lines = [
        json.dumps(HELLO),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no JSON",
        "",
        "[]",
        "\x00\xff",
        call(1, {"name": "relations", "arguments": ["Jeff"]}),
        call(2, {"name": "relations", "arguments": "Jeff"}),
        call(3, {"name": "relations"}),
        call(4, {"name": "exists", "arguments": {"id": "x" * 2_000_000}}),
        call(5, {"name": "relations", "arguments": {"entity": "half \ud83d"}}),
        call(6, {"name": "relations", "arguments": {"limit": 0}}).replace("0}", "9" * 5000 + "}"),
        call(7, {"name": "relations", "arguments": {"entity": "Jeff"}}),
    ]
    started = parameters(store)
    with subprocess.Popen(
        [started.command, *started.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers = {}
        while len(answers) < 8:
            found = json.loads(process.stdout.readline())
            answers[found["id"]] = found
        process.stdin.close()
        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == ""
    errors = {n: answers[n]["result"]["isError"] for n in range(1, 8)}
    assert errors == {1: True, 2: True, 3: True, 4: False, 5: True, 6: True, 7: False}
    for n in (5, 6):
        error = json.loads(answers[n]["result"]["content"][0]["text"])["error"]
        assert error.startswith("the arguments cannot be read: ")
    assert json.loads(answers[1]["result"]["content"][0]["text"]) == {
        "error": 'arguments is an object of names and values: ["Jeff"]'
    }


def test_without_a_store_it_does_not_start(tmp_path):
    done = run(tmp_path / "none", "mcp")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: no store at ")


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['mcp'] = None; from mazarbul_analytics.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--store", str(tmp_path), "mcp"],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Install it: pip install 'mazarbul-analytics[mcp]'"
    assert len(done.stderr.splitlines()) == 2


def test_other_commands_do_not_import_the_sdk(store):
    code = (
        "import sys; from mazarbul_analytics.cli import main\n"
        "try: main()\nexcept SystemExit: print('mcp' in sys.modules, 'pydantic' in sys.modules)"
    )
    for args in (["mcp", "--help"], ["info"]):
        done = subprocess.run(
            [sys.executable, "-c", code, "--store", str(store), *args],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stdout.splitlines()[-1] == "False False"
