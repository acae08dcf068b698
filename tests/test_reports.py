"""The faces of a gap report: golden bytes, the schema of its JSON, a real browser, promtool.

`UPDATE_GOLDEN=1` writes the golden files anew: look at the difference before you keep it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from relayworld import AS_OF, hard_store, record, write_jsonl

from mazarbul_analytics import Store, reports
from mazarbul_analytics.cli import formats
from mazarbul_analytics.reports import words

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
SCHEMA = HERE.parent / "docs" / "gap-report.schema.json"
ENDINGS = {"text": "txt", "json": "json", "markdown": "md", "html": "html", "prometheus": "prom"}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    store = hard_store(tmp_path_factory.mktemp("reports"))
    return store.gaps(as_of=AS_OF, since="2024-01-04T00:00:00Z")


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("none") / "s", create=True).gaps(as_of=AS_OF)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a report without a single gap."""
    folder = tmp_path_factory.mktemp("whole")
    rows = [("relay-0001", "2024-01-01T00:00:00Z", record("relay-0001"))]
    store = Store(folder / "s", create=True)
    store.relays.import_(write_jsonl(folder / "r.jsonl", rows), trust_deposited_at=True)
    return store.gaps(as_of=AS_OF)


def golden(name, text):
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8", newline="")
    assert text == path.read_bytes().decode(), f"differs from {path}"


@pytest.mark.parametrize("form", list(ENDINGS))
@pytest.mark.parametrize("kind", ["report", "nothing", "whole"])
def test_golden_bytes(request, form, kind):
    text = reports.render(request.getfixturevalue(kind), form) + "\n"
    golden(f"gaps-{kind}.{ENDINGS[form]}", text)


def test_golden_csv(report):
    lines = formats.WRITERS["csv"](formats.rows_of(report.known_missing))
    golden("gaps-report.csv", b"".join(lines).decode())


@pytest.mark.parametrize("kind", ["report", "nothing", "whole"])
def test_the_json_keeps_to_its_schema(request, kind):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(
        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    told = json.loads(reports.render(request.getfixturevalue(kind), "json"))
    validator.validate(told)
    told["extra"] = 1
    assert not validator.is_valid(told)


class Page(HTMLParser):
    """Gather what a page asks for, and whether its elements are closed in order."""

    VOID = ("meta", "link", "br")

    def __init__(self):
        super().__init__()
        self.asked, self.open, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.asked += [v for k, v in attrs if k in ("src", "href", "srcset", "action", "poster")]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("kind", ["report", "nothing", "whole"])
def test_the_page_is_self_contained(request, kind):
    text = reports.render(request.getfixturevalue(kind), "html")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.asked == ["data:,"]
    assert "url(" not in text
    assert "@import" not in text
    assert re.findall(r"https?://[^\"' ]+", text) == re.findall(r"http://www.w3.org/2000/svg", text)


def test_ids_are_escaped_on_the_page_and_in_markdown(report):
    page, mark = reports.render(report, "html"), reports.render(report, "markdown")
    assert "a|b&lt;i&gt;*" in page
    assert "<i>" not in page
    assert r"a\|b\<i\>\*" in mark


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min 0 s"),
        (3600, "1 h 0 min"),
        (90_000, "1 d 1 h"),
        (86_400 * 400, "400 d 0 h"),
    ],
)
def test_ages(seconds, text):
    assert words.age(seconds) == text


def test_long_tables_say_what_they_leave_out(tmp_path):
    store = Store(tmp_path / "s", create=True)
    path = tmp_path / "r.csv"
    path.write_text(
        "id,refs,body\nrelay-0001," + " ".join(f"x-{n}" for n in range(1_203)) + ",b\n",
        encoding="utf-8",
    )
    store.relays.import_(path)
    report = store.gaps()
    assert "And 203 more" in reports.render(report, "markdown")
    assert "And 203 more" in reports.render(report, "html")
    assert reports.render(report, "text").count("named by") == 1_203
    assert len(json.loads(reports.render(report, "json"))["knownMissing"]) == 1_203


@pytest.mark.service
def test_promtool_accepts_the_metrics(report, nothing):
    promtool = shutil.which("promtool")
    assert promtool, "apt-get install prometheus"
    for told in (report, nothing):
        text = reports.render(told, "prometheus") + "\n"
        done = subprocess.run(
            [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_lays_the_page_out(report, tmp_path, width):
    """Nothing is wider than the window, the chart has a size, and no other place is asked."""
    chromium = shutil.which("chromium")
    assert chromium, "apt-get install chromium"
    (tmp_path / "report.html").write_text(reports.render(report, "html"), encoding="utf-8")
    # a window of headless Chromium is at least 500 wide: a frame gives the page a phone's width
    probe = (
        """<!doctype html><iframe id=f src=report.html style="width:%dpx;height:900px;border:0">
    </iframe><pre id=out></pre><script>onload=()=>{const d=f.contentDocument,e=d.documentElement;
    out.textContent=JSON.stringify({page:e.scrollWidth,frame:e.clientWidth,
    cards:[...d.querySelectorAll('.cards b')].map(b=>b.textContent),
    chart:d.querySelector('svg').getBoundingClientRect().height,
    first:d.querySelector('.cards').getBoundingClientRect().bottom,
    asked:f.contentWindow.performance.getEntriesByType('resource').length})}</script>"""
        % width
    )
    (tmp_path / "probe.html").write_text(probe, encoding="utf-8")
    done = subprocess.run(
        [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--allow-file-access-from-files",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=2000",
            "--dump-dom",
            (tmp_path / "probe.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = json.loads(re.search(r'<pre id="out">(.*?)</pre>', done.stdout)[1])
    assert found["page"] <= found["frame"]
    assert found["cards"][:2] == ["8", "4"]
    assert found["chart"] > 100
    assert found["first"] < 700
    assert found["asked"] == 0
