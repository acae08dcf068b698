"""docs/mcp.md: its ten questions give their answers, its configurations are well-formed."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from faces import run, served

from mazarbul_analytics.mcp import TOOLS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| `(\w+)` `(\{.*\})` \| (.+) \|$", PAGE, re.MULTILINE)
CLAIM = re.compile(r"`([\w.\[\]]+)` is (?:`([^`]+)`|(empty))")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    store = tmp_path_factory.mktemp("sample") / "store"
    made = next(body for _, body in BLOCK.findall(PAGE) if "--relay-id-form" in body)
    for line in made.splitlines():
        words = line.replace("'", "").replace("data/", f"{ROOT}/data/").split()
        assert words.pop(0) == "mazarbul"
        result = run(store, *words)
        assert result.exit_code == 0, result.output
    with served(store) as agent:
        yield agent


def at(answer, path):
    for step in re.findall(r"\w+", path):
        answer = answer[int(step) if step.isdigit() else step]
    return ", ".join(answer) if isinstance(answer, list) else str(answer)


@pytest.mark.parametrize(("question", "tool", "arguments", "answer"), ROWS)
def test_a_question(agent, question, tool, arguments, answer):
    found = agent.call(tool, json.loads(arguments))
    claims = CLAIM.findall(answer)
    assert claims, question
    assert [at(found, path) for path, _, _ in claims] == [value for _, value, _ in claims]


def test_there_are_ten():
    assert len(ROWS) == 10


def test_the_configurations_are_well_formed():
    blocks = BLOCK.findall(PAGE)
    configured = [json.loads(body) for language, body in blocks if language == "json"]
    configured += [tomllib.loads(body) for language, body in blocks if language == "toml"]
    for one in configured:
        (servers,) = one.values()
        assert servers["mazarbul"]["command"] == "mazarbul"
        assert servers["mazarbul"]["args"][-1] == "mcp"


def test_every_tool_is_in_the_table():
    listed = re.findall(r"^\| `(\w+)` \| [^|]+ \| (yes)? ?\|$", PAGE, re.MULTILINE)
    assert listed == [(tool.name, "yes" if tool.writes else "") for tool in TOOLS]
