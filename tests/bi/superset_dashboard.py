"""A dashboard made over the REST API: charts below each other, each as wide as the page."""

from __future__ import annotations

import json
from typing import Any

from superset_client import Client

__all__ = ["dashboard", "where"]


def where(column: str, operator: str, value: Any) -> dict[str, Any]:
    """Return one filter of a chart."""
    return {
        "expressionType": "SIMPLE",
        "clause": "WHERE",
        "subject": column,
        "operator": operator,
        "comparator": value,
    }


def dashboard(
    client: Client, title: str, charts: list[tuple[str, int, int, dict[str, Any]]]
) -> int:
    """Make charts, each a name, a dataset, a height and its settings; return the dashboard's id."""
    made: int = client.post("dashboard/", {"dashboard_title": title, "published": True})["id"]
    rows: dict[str, Any] = {}
    for number, (name, dataset, height, settings) in enumerate(charts):
        body = {
            "slice_name": name,
            "viz_type": settings["viz_type"],
            "datasource_id": dataset,
            "datasource_type": "table",
            "dashboards": [made],
            "params": json.dumps(settings | {"datasource": f"{dataset}__table"}),
        }
        row, chart = f"ROW-{number}", f"CHART-{number}"
        meta = {"chartId": client.post("chart/", body)["id"], "width": 12, "height": height}
        rows[row] = _node("ROW", row, [chart], background="BACKGROUND_TRANSPARENT")
        rows[chart] = _node("CHART", chart, [], **meta)
    grid = [name for name, node in rows.items() if node["type"] == "ROW"]
    position = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": _node("ROOT", "ROOT_ID", ["GRID_ID"]),
        "GRID_ID": _node("GRID", "GRID_ID", grid),
        "HEADER_ID": _node("HEADER", "HEADER_ID", [], text=title),
    }
    client.put(f"dashboard/{made}", {"position_json": json.dumps(position | rows)})
    return made


def _node(kind: str, name: str, children: list[str], **meta: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "children": children, "meta": meta}
