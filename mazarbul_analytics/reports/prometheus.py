"""A gap report as metrics in the text format of Prometheus, for a textfile collector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow.compute as pc

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["render"]


def render(report: GapReport) -> str:
    """Return one gauge a number of the report, each with its help and type."""
    return "\n".join(_lines(report))


def _lines(report: GapReport) -> Iterator[str]:
    listed = report.known_missing
    oldest = pc.max(listed["age_seconds"]).as_py() or 0
    gauges = [
        ("relays_present", "Relays whose bytes are held.", report.present),
        ("relays_known_missing", "Relays that are named and not held.", report.missing),
        ("relays_known_missing_listed", "Known missing and old enough.", listed.num_rows),
        ("relays_known_missing_new", "Listed that the last report did not list.", report.new),
        ("relays_known_missing_oldest_age_seconds", "Age of the oldest listed gap.", oldest),
        ("relays_closed", "Gaps closed since the last report.", report.closed.num_rows),
        ("relays_late", "Relays that arrived after they were named.", report.late.num_rows),
        ("relays_holes", "Runs of ids that are neither held nor named.", report.holes.num_rows),
        ("relays_hole_ids", "Ids in those runs.", report.hole_ids),
    ]
    for name, told, value in gauges:
        yield from _head(name, told)
        yield f"mazarbul_{name} {value}"
    name = "relays_continuity_faults"
    yield from _head(name, "Relays whose digest of their parent does not hold.")
    for fault in ("DIVERGES", "UNANCHORED"):
        count = pc.sum(pc.equal(report.continuity["continuity"], fault)).as_py() or 0
        yield f'mazarbul_{name}{{continuity="{fault}"}} {count}'
    name = "gap_report_timestamp_seconds"
    yield from _head(name, "The instant that the report is about.")
    yield f"mazarbul_{name} {report.as_of.timestamp():.3f}"


def _head(name: str, told: str) -> Iterator[str]:
    yield f"# HELP mazarbul_{name} {told}"
    yield f"# TYPE mazarbul_{name} gauge"
