"""Find, order and load the files of `sql/`: one object or one step a file.

`views` and `macros` are made in every connection and in the catalog, in the order of their needs;
`writes` holds the steps of the sequenced write and of the imports, run by name.
"""

from __future__ import annotations

import functools
import hashlib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["digest", "objects", "objects_for", "statement", "statements"]

_CREATE = re.compile(r"create or replace (?:temp )?(view|macro) (\w+)", re.IGNORECASE)
_WORD = re.compile(r"\b[a-z_][a-z0-9_]*\b")


def _root() -> Traversable:
    """Return the folder of SQL files: inside the wheel, or beside the package in a checkout."""
    package = files("mazarbul_analytics")
    inside = package / "sql"
    if inside.is_dir():
        return inside
    from pathlib import Path  # noqa: PLC0415 - only a checkout needs it

    return Path(str(package)).parent / "sql"


@functools.cache
def statement(path: str) -> str:
    """Return the text of one file, named as `writes/rounds.sql`."""
    node = _root()
    for part in path.split("/"):
        node = node / part
    return node.read_text(encoding="utf-8")


@functools.cache
def statements(path: str) -> tuple[str, ...]:
    """Return the statements of a file of several steps, split at lines that end in `;`."""
    parts = re.split(r";[ \t]*(?:\n|$)", statement(path))
    return tuple(p.strip() for p in parts if _code(p).strip())


def _code(text: str) -> str:
    return re.sub(r"--[^\n]*", "", text)


@functools.cache
def objects() -> tuple[tuple[str, str], ...]:
    """Return `(name, create statement)` of every view and macro, each after those it names.

    A view and a macro may share a name.
    """
    found: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for folder in ("macros", "views"):
        for node in sorted((_root() / folder).iterdir(), key=lambda n: n.name):
            if not node.name.endswith(".sql"):
                continue
            text = node.read_text(encoding="utf-8").strip().removesuffix(";")
            code = _code(text)
            match = _CREATE.search(code)
            if match is None or match[2] != node.name.removesuffix(".sql"):
                raise ValueError(
                    f"sql/{folder}/{node.name}: does not create the object it is named for"
                )
            found[match[2], folder] = (text, set(_WORD.findall(code.lower())) - {match[2]})
    ordered: dict[tuple[str, str], str] = {}

    def place(key: tuple[str, str]) -> None:
        if key in ordered:
            return
        text, words = found[key]
        for needed in keys:
            if needed[0] in words:
                place(needed)
        ordered[key] = text

    keys = sorted(found)
    for key in keys:
        place(key)
    return tuple((name, text) for (name, _), text in ordered.items())


@functools.cache
def objects_for(folder: str, *more: str) -> tuple[tuple[str, str], ...]:
    """Return of `objects` what a folder's statements need, and `more`, with what these need."""
    texts: dict[str, str] = {}
    for name, text in objects():
        texts[name] = texts.get(name, "") + text
    words: set[str] = set(more)
    for node in (_root() / folder).iterdir():
        if node.name.endswith(".sql"):
            words |= set(_WORD.findall(_code(node.read_text(encoding="utf-8")).lower()))
    wanted = words & texts.keys()
    while True:
        needed = {w for name in wanted for w in _WORD.findall(_code(texts[name]).lower())}
        needed = (needed & texts.keys()) - wanted
        if not needed:
            return tuple((name, text) for name, text in objects() if name in wanted)
        wanted |= needed


@functools.cache
def digest() -> str:
    """Return a hash over the text of every view and macro."""
    text = "\n".join(t for _, t in objects())
    return hashlib.sha256(text.encode()).hexdigest()[:16]
