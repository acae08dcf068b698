"""The README's commands print what it shows; its Python runs; its links lead somewhere."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import console  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Run every console block of the README once, in one folder, in order."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "data").symlink_to(ROOT / "data")
    for step in console.steps(README):
        shown, _ = console.run(step.command, folder)
        expected = f"README.md:{step.line} $ {step.command}\n{console.steady(step.output)}"
        assert f"README.md:{step.line} $ {step.command}\n{console.steady(shown)}" == expected
    return folder


def test_commands(folder):
    assert (folder / "mazarbul-store" / "catalog.duckdb").exists()


def test_python(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    space = {}
    exec(compile(block, "README.md", "exec"), space)  # noqa: S102 - it is our own text
    assert space["listing"].table.column("object").to_pylist() == ["Debian LTS"]
    assert "supported_by" in capsys.readouterr().out


def test_sql(folder, monkeypatch):
    import duckdb

    monkeypatch.chdir(folder.parent)
    (block,) = re.findall(r"```sql\n(.*?)```", README, re.DOTALL)
    with duckdb.connect(str(folder / "mazarbul-store" / "catalog.duckdb"), read_only=True) as door:
        for statement in filter(str.strip, re.sub(r"--[^\n]*", "", block).split(";")):
            assert door.execute(statement).fetchall()


def test_the_first_screen_shows_the_tool():
    first = README.splitlines()[:60]
    assert any(line.startswith("$ mazarbul ") for line in first)
    assert any("make demo" in line for line in README.splitlines()[:75])


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "data/README.md",
        *map(str, sorted(p.relative_to(ROOT) for p in (ROOT / "docs").glob("*.md"))),
    ],
)
def test_links(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text):
        assert ((ROOT / name).parent / target).exists(), f"{name} links to {target}"
