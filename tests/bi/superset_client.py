"""Superset's public REST API, as a script of a user would call it."""

from __future__ import annotations

import http.cookiejar
import json
import secrets
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

__all__ = ["Client", "Refused"]


class Refused(Exception):
    """An answer other than 2xx; the text is what Superset said."""


class Client:
    """One user's session: the API by its token, and the cookie that a browser needs."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self.url = url
        self.cookies = http.cookiejar.CookieJar()
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self.cookies)
        ).open
        self._headers = {"Content-Type": "application/json", "Referer": f"{url}/"}
        login = {"username": user, "password": password, "provider": "db", "refresh": False}
        token = self.post("security/login", login)["access_token"]
        self._headers["Authorization"] = f"Bearer {token}"
        self._headers["X-CSRFToken"] = csrf = self.get("security/csrf_token/")["result"]
        form = {"username": user, "password": password, "csrf_token": csrf}
        body = urllib.parse.urlencode(form).encode()
        with self._open(urllib.request.Request(f"{url}/login/", data=body), timeout=60):  # noqa: S310
            pass

    def get(self, path: str, **query: str) -> Any:
        """Ask for `path` under /api/v1/."""
        return self._call("GET", f"{path}?{urllib.parse.urlencode(query)}" if query else path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send `body` to `path` under /api/v1/."""
        return self._call("POST", path, body)

    def put(self, path: str, body: dict[str, Any]) -> Any:
        """Change `path` under /api/v1/."""
        return self._call("PUT", path, body)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310
            f"{self.url}/api/v1/{path}", data=data, method=method, headers=self._headers
        )
        try:
            with self._open(request, timeout=60) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Refused(error.read().decode()) from error

    def sql(self, database: int, query: str, **parameters: str) -> list[dict[str, Any]]:
        """Run a query as SQL Lab does; return its rows."""
        body = {
            "database_id": database,
            "sql": query,
            "client_id": secrets.token_hex(5),
            "runAsync": False,
            "queryLimit": 1000,
            "templateParams": json.dumps(parameters),
        }
        rows: list[dict[str, Any]] = self.post("sqllab/execute/", body)["data"]
        return rows

    def chart_rows(self, dataset: int, query: dict[str, Any]) -> list[dict[str, Any]]:
        """Ask the chart data API for one query over a dataset; return its rows."""
        body = {
            "datasource": {"id": dataset, "type": "table"},
            "queries": [{"metrics": [], "row_limit": 1000} | query],
            "result_format": "json",
            "result_type": "full",
        }
        rows: list[dict[str, Any]] = self.post("chart/data", body)["result"][0]["data"]
        return rows
