"""A gap report as one HTML page that asks no other place for anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from mazarbul_analytics.reports.chart import svg
from mazarbul_analytics.reports.words import (
    age,
    counted,
    headline,
    instant,
    listed,
    namers,
    plain,
    scope_note,
)

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["render"]

MOST_ROWS = 1_000
"""So many rows of a table are written; how many more there are is said below it."""

LONGEST = 24
"""Ids of more characters may be broken: one of thousands must not widen the page."""

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2733;--soft:#5b6875;--line:#d9dfe5;--page:#fff;
--card:#f5f7f9;
--held:#2a6f97;--gap:#b4451f}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#9fadba;--line:#36424e;
--page:#14191f;
--card:#1d242c;--held:#6db3d9;--gap:#f08a5d}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 3rem;background:var(--page);
color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
.when,.note{color:var(--soft);margin:.2rem 0 1rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.7rem;margin:0;
padding:0;
list-style:none}
.cards li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;
padding:.6rem .8rem}
.cards b{display:block;font-size:1.7rem;line-height:1.2;font-variant-numeric:tabular-nums}
.cards .gap b{color:var(--gap)}.cards small{display:block;color:var(--soft)}
svg{display:block;width:100%;height:auto;margin-top:1.2rem;overflow:visible}
svg text{fill:var(--soft);font:12px system-ui,sans-serif}svg .t,svg .n{fill:var(--ink);
font-size:13px;
font-weight:600}
svg .g{stroke:var(--line);fill:none}svg .l{fill:none;stroke-width:2}svg .f{opacity:.14}
svg .l.present{stroke:var(--held)}svg .f.present{fill:var(--held)}
svg .l.known_missing{stroke:var(--gap)}svg .f.known_missing{fill:var(--gap)}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem .45rem 0;
border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td.id{font-weight:600}.w{overflow-wrap:anywhere}
.l{white-space:nowrap}td.num{font-variant-numeric:tabular-nums}
.new{color:#fff;background:#b4451f;border-radius:.3rem;padding:0 .35rem;font-size:.8rem}
@media(max-width:46rem){thead{display:none}table,tbody{display:block}
tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
td{display:flex;gap:.6rem;border:0;padding:.12rem 0}
td::before{content:attr(data-h);flex:0 0 7.2rem;color:var(--soft);font-weight:400}
td:empty{display:none}svg text{font-size:16px}svg .t,svg .n{font-size:18px}}
@media print{:root{--ink:#000;--soft:#333;--line:#bbb;--page:#fff;--card:#fff;--held:#2a6f97;
--gap:#b4451f}
body{max-width:none;padding:0;font-size:10pt}h2{break-after:avoid}tr,.cards li,svg{
break-inside:avoid}
thead{display:table-header-group}.new{color:#000;background:none;border:1px solid #000}}
"""


def render(report: GapReport) -> str:
    """Return the page: the headline numbers, the chart, a table for each kind of gap there is."""
    return "\n".join(_lines(report))


def _lines(report: GapReport) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    # an empty icon: else a browser would ask the server for one
    yield f'<link rel="icon" href="data:,"><title>Gap report {instant(report.as_of)}</title>'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f'<h1>Gap report</h1><p class="when">As of {instant(report.as_of)}</p>'
    yield '<ul class="cards">'
    for name, count, note in headline(report):
        kind = ' class="gap"' if name == "known missing" and count else ""
        small = f"<small>{note}</small>" if note and count else ""
        yield f"<li{kind}><b>{count:,}</b>{name}{small}</li>"
    yield f"</ul>{svg(report.timeline)}"
    yield from _missing(report)
    yield from _sections(report)
    yield "</body></html>"


def _missing(report: GapReport) -> Iterator[str]:
    yield f"<h2>Known missing ({report.known_missing.num_rows:,})</h2>"
    note = scope_note(report)
    if note:
        yield f'<p class="note">{note[0].upper()}{note[1:]}.</p>'
    if not report.known_missing.num_rows:
        yield "<p>None.</p>"
        return
    yield from _table(
        ("relay", "named by", "first named", "age", "between", "deposited"),
        (
            (
                _whole(_text(r["relay_id"]))
                + (' <span class="new">new</span>' if r["is_new"] else ""),
                ", ".join(_whole(escape(n)) for n in namers(r["named_by"])),
                _line(instant(r["first_named_at"])),
                _line(age(r["age_seconds"])),
                "<br>".join(_whole(_text(r[c])) for c in ("previous_present", "next_present")),
                "<br>".join(_line(instant(r[c])) for c in ("issued_after", "issued_before")),
            )
            for r in listed(report.known_missing, MOST_ROWS)
        ),
        report.known_missing.num_rows,
    )


def _sections(report: GapReport) -> Iterator[str]:
    if report.closed.num_rows:
        yield f"<h2>Closed since the last report ({report.closed.num_rows:,})</h2>"
        yield from _table(
            ("relay", "first named", "deposited"),
            (
                (
                    _whole(_text(r["relay_id"])),
                    instant(r["first_named_at"]),
                    instant(r["deposited_at"]),
                )
                for r in listed(report.closed, MOST_ROWS)
            ),
            report.closed.num_rows,
        )
    if report.late.num_rows:
        yield f"<h2>Late ({report.late.num_rows:,})</h2>"
        yield from _table(
            ("relay", "delay", "first named", "deposited"),
            (
                (
                    _whole(_text(r["relay_id"])),
                    age(r["delay_seconds"]),
                    instant(r["first_named_at"]),
                    instant(r["deposited_at"]),
                )
                for r in listed(report.late, MOST_ROWS)
            ),
            report.late.num_rows,
        )
    if report.holes.num_rows:
        runs = counted(report.holes.num_rows, "run")
        yield f"<h2>Holes ({counted(report.hole_ids, 'id')} in {runs})</h2>"
        yield '<p class="note">Neither present nor named by any record.</p>'
        yield from _table(
            ("first", "last", "ids"),
            (
                (_whole(_text(r["first"])), _whole(_text(r["last"])), f"{r['count']:,}")
                for r in listed(report.holes, MOST_ROWS)
            ),
            report.holes.num_rows,
        )
    if report.continuity.num_rows:
        yield f"<h2>Parent digests that do not hold ({report.continuity.num_rows:,})</h2>"
        yield from _table(
            ("relay", "parent", "continuity", "claimed", "held"),
            (
                tuple(
                    _whole(_text(r[c]))
                    for c in ("relay_id", "parent", "continuity", "claimed", "held")
                )
                for r in listed(report.continuity, MOST_ROWS)
            ),
            report.continuity.num_rows,
        )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], number: int) -> Iterator[str]:
    """Write a table whose cells name their column, for narrow screens where the head is hidden."""
    yield f"<table><thead><tr>{''.join(f'<th>{h}</th>' for h in heads)}</tr></thead><tbody>"
    for cells in rows:
        line = ""
        for place, (head, cell) in enumerate(zip(heads, cells, strict=True)):
            kind = ' class="id"' if place == 0 else ""
            line += f'<td{kind} data-h="{head}"><span>{cell}</span></td>'
        yield f"<tr>{line}</tr>"
    yield "</tbody></table>"
    if number > MOST_ROWS:
        yield f'<p class="note">And {number - MOST_ROWS:,} more: the JSON form lists all.</p>'


def _whole(markup: str) -> str:
    """Return an id that is not broken at its hyphens, unless it is too long for a line."""
    return f'<span class="{"l" if len(markup) <= LONGEST else "w"}">{markup}</span>'


def _line(markup: str) -> str:
    """Return markup that stays on one line: an instant or an age."""
    return f'<span class="l">{markup}</span>'


def _text(value: str | None) -> str:
    return escape(plain(value))
