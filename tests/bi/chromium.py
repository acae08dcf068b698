"""Headless Chromium over its debugging pipe; no request leaves the machine."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import time
import urllib.parse
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, Self

__all__ = ["Chromium"]

ARGUMENTS = (
    "--headless",
    "--no-sandbox",  # it may run as root in a container
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Chromium:
    """One page. What it asks of other hosts than 127.0.0.1 is failed and listed in `refused`."""

    def __init__(self, profile: Path, *, width: int, height: int, scale: float = 1) -> None:
        program = shutil.which("chromium")
        assert program, "apt-get install chromium"
        self.refused: list[str] = []
        self._sent = 0
        self._buffer = b""
        self._session: dict[str, str] = {}
        commands, self._write = os.pipe()  # Chromium reads commands from 3 and answers on 4
        self._read, answers = os.pipe()
        log = (os.POSIX_SPAWN_OPEN, 2, str(profile) + ".log", os.O_WRONLY | os.O_CREAT, 0o600)
        self._pid = os.posix_spawn(
            program,
            [program, *ARGUMENTS, f"--user-data-dir={profile}", "about:blank"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, commands, 3),
                (os.POSIX_SPAWN_DUP2, answers, 4),
                log,
            ],
            setpgroup=0,
        )
        os.close(commands)
        os.close(answers)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": found["sessionId"]}
        self.call("Page.enable")
        self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)  # Chromium ends when its pipe does
        os.close(self._read)
        end = time.monotonic() + 20
        while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.killpg(self._pid, signal.SIGKILL)
            time.sleep(0.05)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command of the DevTools protocol and return its result."""
        number = self._send(method, **parameters)
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, (method, message)
                result: dict[str, Any] = message["result"]
                return result

    def _send(self, method: str, **parameters: Any) -> int:
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters} | self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._sent

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], 60)
            assert ready, "Chromium does not answer"
            part = os.read(self._read, 1 << 16)
            assert part, "Chromium ended"
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if message.get("method") == "Fetch.requestPaused":
            self._judge(message["params"])
        return message

    def _judge(self, request: dict[str, Any]) -> None:
        url = request["request"]["url"]
        if urllib.parse.urlsplit(url).hostname == "127.0.0.1":
            self._send("Fetch.continueRequest", requestId=request["requestId"])
        else:
            self.refused.append(url)
            self._send(
                "Fetch.failRequest", requestId=request["requestId"], errorReason="AccessDenied"
            )

    def open(self, url: str, cookies: CookieJar) -> None:
        """Go to `url` with the cookies of a session."""
        for cookie in cookies:
            self.call("Network.setCookie", name=cookie.name, value=cookie.value, url=url)
        self.call("Page.navigate", url=url)

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression is in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 60) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + seconds
        while not self.value(f"Boolean({expression})"):
            page = self.value("document.body?.innerText")
            assert time.monotonic() < end, f"never true: {expression}\nthe page says: {page}"
            time.sleep(0.1)

    def picture(self) -> bytes:
        """Return the page as PNG, when it has come to rest (charts move when they appear)."""
        before, now = b"", self._shot()
        for _ in range(60):
            if before == now:
                return now
            time.sleep(0.5)
            before, now = now, self._shot()
        raise AssertionError("the page never comes to rest")

    def _shot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
