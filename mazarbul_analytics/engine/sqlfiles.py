"""Find, order and load the files of `sql/`: one object or one step a file.

`views` and `macros` are made in every connection and in the catalog, in the order of their needs;
`writes` holds the steps of the sequenced write and of the imports, run by name; `comments` what the
catalog says of each.
"""

from __future__ import annotations

import functools
import hashlib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["created", "digest", "names", "objects", "objects_for", "statement", "statements"]

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
def names(folder: str) -> tuple[str, ...]:
    """Return the names of the files of a folder, without their ending, sorted."""
    found = sorted(node.name for node in (_root() / folder).iterdir())
    return tuple(n.removesuffix(".sql") for n in found if n.endswith(".sql"))


def created(sql: str) -> tuple[str, str]:
    """Return what a statement creates: `view` or `macro`, and its name."""
    match = _CREATE.search(_code(sql))
    if match is None:
        raise ValueError(f"creates no view or macro: {sql}")
    return match[1].lower(), match[2]


@functools.cache
def objects() -> tuple[tuple[str, str], ...]:
    """Return `(name, create statement)` of every view and macro, each after those it names.

    A view and a macro may share a name.
    """
    found: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for folder in ("macros", "views"):
        for name in names(folder):
            text = statement(f"{folder}/{name}.sql").strip().removesuffix(";")
            if created(text) != (folder.removesuffix("s"), name):
                raise ValueError(f"sql/{folder}/{name}.sql: does not create what it is named for")
            found[name, folder] = (text, set(_WORD.findall(_code(text).lower())) - {name})
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
    for name in names(folder):
        words |= set(_WORD.findall(_code(statement(f"{folder}/{name}.sql")).lower()))
    wanted = words & texts.keys()
    while True:
        needed = {w for name in wanted for w in _WORD.findall(_code(texts[name]).lower())}
        needed = (needed & texts.keys()) - wanted
        if not needed:
            return tuple((name, text) for name, text in objects() if name in wanted)
        wanted |= needed


@functools.cache
def digest() -> str:
    """Return a hash over the text of every view and macro, and what is said of them."""
    said = (statement(f"comments/{name}.sql") for name in names("comments"))
    text = "\n".join((*(t for _, t in objects()), *said))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
