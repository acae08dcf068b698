"""Many calls at once, from two clients; clients that vanish; streamable HTTP.

`MAZARBUL_MCP_CALLS=1000` makes the runs as large as the promise is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import time

import httpx2
import pytest
from faces import parameters, run
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mazarbul_analytics import Store
from mazarbul_analytics.cli import ExitCode

CALLS = int(os.environ.get("MAZARBUL_MCP_CALLS", "16"))
PATIENCE = 60 + CALLS


@pytest.fixture
def store(tmp_path):
    """Return an empty store that the command line made."""
    path = tmp_path / "store"
    assert run(path, "init").exit_code == 0
    assert run(path, "relate", "Hub", "knows", "Ann").exit_code == 0
    return path


def mixed(who, count):
    """Return so many calls of one client: of four, one relates anew, one again, one appends."""
    for n in range(count):
        kind = n % 4
        if kind == 0:
            yield "relate_entities", {
                "fromEntity": f"{who} {n}", "relation": "knows", "toEntity": "Hub",
            }  # fmt: skip
        elif kind == 1:
            yield "relate_entities", {"fromEntity": "Hub", "relation": "knows", "toEntity": "Ann"}
        elif kind == 2:
            yield "append_relay", {"record": f"@p-e/x0\nfrom: {who} {n}\n\nbody\n"}
        else:
            yield "relations", {"entity": "hub", "limit": 5}


async def from_two_clients(first, second):
    async with Client(first) as one, Client(second) as two:
        calls = [
            client.call_tool(name, arguments)
            for client, who in ((one, "one"), (two, "two"))
            for name, arguments in mixed(who, CALLS // 2)
        ]
        results = await asyncio.wait_for(asyncio.gather(*calls), PATIENCE)
        for client in (one, two):
            alive = await client.call_tool("exists", {"id": "relay-0001"})
            assert alive.structured_content["state"] == "PRESENT"
    return results


def nothing_is_lost(path, results):
    assert [r.content[0].text for r in results if r.is_error] == []
    store = Store(path)
    found = store.relations("Hub", predicates=["knows"], limit=10 * CALLS)
    half = range(0, CALLS // 2, 4)
    wanted = {f"{who} {n}" for who in ("one", "two") for n in half}
    incoming = [r["subject"] for r in found.to_pylist() if r["direction"] == "incoming"]
    assert len(incoming) == len(wanted)
    assert set(incoming) == wanted
    senders = store.sql("select sender, relay_id from relays order by relay_id").fetchall()
    assert {s for s, _ in senders} == {
        f"{who} {n}" for who in ("one", "two") for n in range(2, CALLS // 2, 4)
    }
    assert [i for _, i in senders] == [f"relay-{n + 1:04}" for n in range(len(senders))]
    assert [f for f in store.check().to_pylist() if f["severity"] != "info"] == []


def test_two_clients_over_stdio_lose_nothing(store):
    """Two clients have two servers: their writes queue for the store's lock."""
    results = asyncio.run(from_two_clients(parameters(store), parameters(store)))
    nothing_is_lost(store, results)


@contextlib.contextmanager
def listening(store):
    started = parameters(store)
    with subprocess.Popen(
        [started.command, *started.args, "--http", "0"], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("serving http://127.0.0.1:")
            yield line.split()[1]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == ExitCode.INTERRUPTED


def test_two_clients_over_http_lose_nothing(store):
    """Two clients share one server: their writes queue in it."""

    async def run_all(url):
        # a client's own pool of connections must not give up before its turn comes
        async with httpx2.AsyncClient(timeout=None) as one, httpx2.AsyncClient(timeout=None) as two:
            return await from_two_clients(
                streamable_http_client(url, http_client=one),
                streamable_http_client(url, http_client=two),
            )

    with listening(store) as url:
        results = asyncio.run(run_all(url))
    nothing_is_lost(store, results)


def test_a_port_in_use_is_one_line(store):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(store, "mcp", "--http", taken.getsockname()[1])
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "in use" in done.stderr


HELLO = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "vanishes", "version": "1"},
    },
}


def calls(count):
    yield HELLO
    yield {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for n in range(count):
        arguments = {"fromEntity": f"gone {n}", "relation": "knows", "toEntity": "Hub"}
        params = {"name": "relate_entities", "arguments": arguments}
        yield {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}


@pytest.mark.parametrize("how", ["hang up", "kill"])
def test_a_client_that_vanishes_leaves_the_store_whole(store, how):
    started = parameters(store)
    with subprocess.Popen(
        [started.command, *started.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        process.stdin.write("".join(json.dumps(c) + "\n" for c in calls(20)))
        process.stdin.flush()
        answered = 0
        while answered < (1 if how == "hang up" else 3):
            answered += "result" in json.loads(process.stdout.readline())
        if how == "kill":
            time.sleep(0.03)  # somewhere in a write
            process.kill()
        process.stdout.close()
        process.stdin.close()
        process.wait(timeout=20)
    findings = [f for f in Store(store).check().to_pylist() if f["severity"] == "error"]
    assert findings == []
    held = Store(store).relations("Hub", limit=100)
    assert answered - 1 <= len(held) - 1 <= 20
    # the next client finds no lock in its way
    again = asyncio.run(one_call(store))
    assert not again.is_error
    assert len(Store(store).relations("Hub", limit=100)) == len(held) + 1


async def one_call(store):
    async with Client(parameters(store)) as client:
        arguments = {"fromEntity": "next", "relation": "knows", "toEntity": "Hub"}
        return await asyncio.wait_for(client.call_tool("relate_entities", arguments), 30)
