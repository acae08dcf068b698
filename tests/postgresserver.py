"""A PostgreSQL of the tests' own: Debian's package, a folder and a port of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from adbc_driver_postgresql import dbapi

__all__ = ["PASSWORD", "PostgreSQL", "running"]

PASSWORD = 's3cr%t: "é"/?#@'  # noqa: S105 - of a server that lives for some seconds
SETTINGS = ("fsync=off", "listen_addresses=127.0.0.1", "autovacuum=off")


def program(name):
    """Find a program of the server; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")) or [shutil.which(name)]
    assert found[-1], "apt-get install postgresql"
    return str(found[-1])


class PostgreSQL:
    """A running server; its superuser is `boss`."""

    def __init__(self, folder, port):
        self.folder = folder
        self.port = port

    def url(self, database="bi", role="boss", password=PASSWORD, **parameters):
        more = "&".join(f"{name}={quote(value)}" for name, value in parameters.items())
        secret = quote(password, safe="")
        return f"postgresql://{role}:{secret}@127.0.0.1:{self.port}/{database}" + (
            f"?{more}" if more else ""
        )

    def connect(self, *, autocommit=True, **where):
        return dbapi.connect(self.url(**where), autocommit=autocommit)

    def rows(self, query, **where):
        """Run one query and return its rows as dicts."""
        with self.connect(**where) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetch_arrow_table().to_pylist()

    def run(self, *statements, **where):
        """Run statements, each by itself."""
        with self.connect(**where) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def psql(self, text, **variables):
        """Give a text to psql, as people do; return what it printed."""
        command = [program("psql"), "-X", "-At", "-v", "ON_ERROR_STOP=1", self.url()]
        for name, value in variables.items():
            command[1:1] = ["-v", f"{name}={value}"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8")


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def running():
    """Make and start a server; it runs as postgres where the tests are root, which it refuses."""
    root = os.geteuid() == 0
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if root else {}
    folder = Path(tempfile.mkdtemp(prefix="mazarbul-pg-"))
    (folder / "password").write_text(PASSWORD, encoding="utf-8")
    if root:
        for path in (folder, folder / "password"):
            shutil.chown(path, "postgres", "postgres")
    server = PostgreSQL(folder, _free_port())
    command = [program("initdb"), "-D", str(folder / "data"), "-U", "boss", "--no-sync"]
    command += ["-E", "UTF8", "--locale=C", "--auth=scram-sha-256"]
    command += [f"--pwfile={folder / 'password'}"]
    process = None
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder, **user)
        command = [program("postgres"), "-D", str(folder / "data"), "-k", str(folder)]
        command += ["-p", str(server.port), *(f"-c{setting}" for setting in SETTINGS)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stderr=log, stdout=log, cwd=folder, **user)
        _wait(process, server)
        yield server
        assert process.poll() is None, server.log()[-2000:]
    finally:
        if process is not None:
            process.send_signal(signal.SIGINT)  # a fast shutdown: sessions are ended
            process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(process, server):
    for _ in range(300):
        assert process.poll() is None, server.log()
        ready = [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(server.port)]
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError(server.log())
