"""Python Enhancement Proposals as relays: numbered records that name other records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from .feed import Row
from .sources import git

COLUMNS = ["id", "parent", "refs", "from", "kind", "body", "deposited_at"]
NUMBERS = range(200, 600)
LAST_COMMIT = "ba4deeb7969588d937da609008d05bb83a47b1ab"
KINDS = ("standards track", "informational", "process")


def relays(sources: Path) -> list[Row]:
    """One relay a PEP, by date: what its first committed version says and names."""
    repository = sources / "peps.git"
    return sorted(_read(repository), key=lambda row: (str(row["deposited_at"]), str(row["id"])))


def _read(repository: Path) -> Iterator[Row]:
    for number, (commit, date, path) in sorted(_first_versions(repository).items()):
        text = git(repository, "show", f"{commit}:{path}").replace("\r", "")
        head, _, _ = text.partition("\n\n")
        headers = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", head, re.MULTILINE))
        replaces = [int(n) for n in re.findall(r"\d+", headers.get("Replaces", ""))]
        refs = {int(n) for n in re.findall(r"(?:\bPEPs?[ -]|:pep:`|\bpep-)(\d{1,4})\b", text)}
        refs = (refs | set(replaces)) - {0, number, *replaces[:1]}
        told = headers.get("Type", "").lower()[:4]
        kind = next((kind for kind in KINDS if kind[:4] == told), "unspecified")
        yield {
            "id": _name(number),
            "parent": _name(replaces[0]) if replaces else None,
            "refs": " ".join(_name(n) for n in sorted(refs)) or None,
            "from": "python/peps",
            "kind": kind.replace(" ", "-"),
            "body": f"PEP {number}: {headers['Title'].strip()}",
            "deposited_at": datetime.fromisoformat(date),
        }


def _first_versions(repository: Path) -> dict[int, tuple[str, str, str]]:
    """Number to the commit, date and path that first held it."""
    order = ("--reverse", "--topo-order", "--no-renames", "--diff-filter=A")
    log = git(repository, "log", *order, "--format=@%H %cI", "--name-only", LAST_COMMIT)
    first: dict[int, tuple[str, str, str]] = {}
    commit = date = ""
    for line in log.splitlines():
        if line.startswith("@"):
            commit, date = line[1:].split()
        elif found := re.fullmatch(r"(?:peps/)?pep-(\d{4})\.(?:txt|rst)", line):
            first.setdefault(int(found[1]), (commit, date, line))
    return {number: version for number, version in first.items() if number in NUMBERS}


def _name(number: int) -> str:
    return f"pep-{number:04}"
