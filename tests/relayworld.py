"""A small archive with every hard kind of relay, and the ten lines that say what it lacks."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from mazarbul_analytics import Store

__all__ = ["AS_OF", "ROWS", "hard_store", "model", "record", "write_jsonl"]

AS_OF = "2024-02-01T00:00:00Z"


def record(relay_id=None, body="", **headers):
    """Return a record's bytes; header names take _ for -, and from_ is from."""
    said = {"id": relay_id, **headers}
    lines = [f"{k.rstrip('_').replace('_', '-')}: {v}" for k, v in said.items() if v is not None]
    return "\n".join(["@p-e/x0", *lines, "", body]).encode()


FIRST = record("relay-0003", "Ärger. Повтор. ✓ 👩‍👩‍👧\n", from_="a", kind="report")

ROWS = [
    # id, deposited_at, record
    ("relay-0003", "2024-01-01T00:00:00Z", FIRST),
    (
        "relay-0004",
        "2024-01-01T01:00:00Z",
        record(
            "relay-0004",
            parent="relay-0003",
            from_="b",
            parent_sha256=hashlib.sha256(FIRST).hexdigest(),
        ),
    ),
    # names itself, an id of another form, and one above the newest
    ("relay-0005", "2024-01-02T00:00:00Z", record("relay-0005", ref="relay-0005", parent="pr-12")),
    ("relay-0006", "2024-01-02T00:00:00Z", record("relay-0006", ref="relay-0999", parent="none")),
    # named before it came; its parent's digest is wrong
    ("relay-0009", "2024-01-03T00:00:00Z", record("relay-0009", parent="relay-0010", kind="ack")),
    (
        "relay-0010",
        "2024-01-05T06:00:00Z",
        record("relay-0010", parent="relay-0003", parent_sha256="0" * 64),
    ),
    # a digest without a parent; a body of 2 MB that names nothing
    (
        "relay-0012",
        "2024-01-06T00:00:00Z",
        record(
            "relay-0012",
            "see relay-0777\n" + "x" * 2_000_000,
            parent_sha256="1" * 64,
            ref="relay-0011",
        ),
    ),
    (
        "relay-0014",
        "2024-01-07T00:00:00Z",
        record("relay-0014", ref="relay-0011", parent="a|b<i>*"),
    ),
]


def write_jsonl(path: Path, rows=ROWS) -> Path:
    lines = [
        json.dumps({"id": i, "deposited_at": at, "record": data.decode()}, ensure_ascii=False)
        for i, at, data in rows
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def hard_store(folder: Path) -> Store:
    """Make a store of `ROWS` whose holes begin at number 1."""
    store = Store(folder / "hard", create=True, relay_first=1)
    store.relays.import_(write_jsonl(folder / "hard.jsonl"), trust_deposited_at=True)
    return store


def model(rows):
    """Return present, known missing and holes of (id, named ids): ids end in four digits."""
    present = {i for i, _ in rows}
    named = {n for _, names in rows for n in names}
    missing = named - present
    numbers = [int(i[-4:]) for i in present]
    form = next(iter(present))[:-4] if present else ""
    span = range(min(numbers), max(numbers) + 1) if numbers else range(0)
    holes = [i for n in span if (i := f"{form}{n:04d}") not in present | missing]
    return sorted(present), sorted(missing), holes
