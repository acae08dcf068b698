"""The notebooks run, and what is stored in them is what they say now."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def shown(notebook):
    """Give what each cell prints and which tables it shows; numbers of versions may differ."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data and "<th>version</th>" not in data["text/html"]:
                yield data["text/html"]
            elif output.output_type == "stream":
                yield output.text
            elif "image/png" in data:
                yield "a picture"


def test_all_three_are_there():
    assert NAMES == ["gap_report", "point_in_time", "tour"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Jupyter's own
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_is_fresh(name, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = read(name)
    stored = list(shown(notebook))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(FOLDER)}}
    # a slow machine sends in several pieces what a cell prints
    client = NotebookClient(notebook, timeout=300, resources=resources, coalesce_streams=True)
    client.execute()
    assert list(shown(notebook)) == stored


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_reads_well(name):
    notebook = read(name)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert "/tmp" not in nbformat.writes(notebook)  # noqa: S108 - no path of whoever ran it


@pytest.mark.parametrize("name", NAMES)
def test_axes_have_titles(name):
    source = "\n".join(cell.source for cell in read(name).cells)
    channels = re.findall(r"alt\.([XY])\(", source)
    titled = re.findall(r"alt\.([XY])\(\s*\"[^\"]+\",\s*title=\"[^\"]+\"", source)
    assert channels == titled
    assert len(channels) >= 4
    assert len(re.findall(r"html_table\(", source)) >= 3


def test_tables_say_their_instants():
    for name in NAMES:
        for cell in read(name).cells:
            for output in cell.get("outputs", []):
                html = output.get("data", {}).get("text/html", "")
                for caption in re.findall(r"<caption>(.*?)</caption>", html):
                    assert re.search(r"\b(at|as of|learned after|came after)\b", caption), caption
