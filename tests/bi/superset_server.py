"""A Superset of its own: made in a folder, served on a loopback port, stopped by its process id."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

__all__ = ["PASSWORD", "USER", "Server"]

USER = "admin"
PASSWORD = secrets.token_urlsafe(16)
ADMIN = {
    "username": USER,
    "password": PASSWORD,
    "firstname": "A",
    "lastname": "B",
    "email": "admin@localhost",
}
SETUP = (
    ("db", "upgrade"),
    ("fab", "create-admin", *(f"--{name}={value}" for name, value in ADMIN.items())),
    ("init",),
)


class Server:
    """Superset by its documented commands; `config` is the text of its `superset_config.py`."""

    def __init__(self, programs: Path, home: Path, config: str) -> None:
        self.programs = programs
        self.home = home
        self.log = home / "superset.log"
        home.mkdir()
        file = home / "superset_config.py"
        file.write_text(f"SECRET_KEY = {secrets.token_urlsafe(42)!r}\n{config}", encoding="utf-8")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SUPERSET"))}
        self.environment = clean | {
            "SUPERSET_HOME": str(home),  # its own SQLite file lies there too
            "SUPERSET_CONFIG_PATH": str(file),
            "SCARF_ANALYTICS": "false",
            "TZ": "Asia/Tokyo",  # the answers must not move with the zone of the process
        }

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            for command in SETUP:
                done = subprocess.run(
                    [self.programs / "superset", *command],
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                    check=False,
                    timeout=300,
                )
                assert done.returncode == 0, self.told(f"superset {command[0]} failed")
            with socket.create_server(("127.0.0.1", 0)) as port:  # handed on, so nobody can take it
                self.url = f"http://127.0.0.1:{port.getsockname()[1]}"
                options = ["--workers=1", "--threads=8", f"--bind=fd://{port.fileno()}"]
                self.process = subprocess.Popen(
                    [self.programs / "gunicorn", *options, "superset.app:create_app()"],
                    env=self.environment,
                    pass_fds=[port.fileno()],
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # its workers are ended with it
                )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _wait(self) -> None:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            assert self.process.poll() is None, self.told("Superset ended")
            with (
                contextlib.suppress(urllib.error.URLError, TimeoutError, ConnectionError),
                urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer,  # noqa: S310
            ):
                if answer.read() == b"OK":
                    return
            time.sleep(0.2)
        raise AssertionError(self.told("Superset does not answer"))

    def stop(self) -> None:
        """End the server and its workers; kill them if they do not go by themselves."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=20)

    def told(self, what: str) -> str:
        """Return `what` with the last lines of the log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([f"{what}; the end of {self.log}:", *lines[-20:]])
