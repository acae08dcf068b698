"""What a catalog says of the views, their columns and the macros: the texts of `sql/comments`.

One file a view, `macros.sql` for the macros. A column without a text in the file of its view takes
that of the view which the file's first line names (`other columns as in relation_history`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mazarbul_analytics.engine import sqlfiles
from mazarbul_analytics.quoting import literal, quoted

__all__ = ["Comment", "of_columns", "of_macros", "of_views", "on", "statement"]

_STATEMENT = re.compile(
    r"comment on (view|column|macro table|macro) (\w+)(?:\.\"?(\w+)\"?)? is\s+'((?:[^']|'')+)'"
)
_OTHERS = re.compile(r"columns as in (\w+)")


@dataclass(frozen=True)
class Comment:
    """What is said of a view or macro, and of the columns of a view by their names."""

    kind: str
    text: str
    columns: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def _read(name: str) -> tuple[Mapping[str, Comment], str | None]:
    """Return what a file says, by object, and the view whose columns it refers to."""
    path = f"comments/{name}.sql"
    objects: dict[str, tuple[str, str]] = {}
    columns: dict[str, dict[str, str]] = {}
    for sql in sqlfiles.statements(path):
        found = _STATEMENT.search(sql)
        if found is None:
            raise ValueError(f"sql/{path}: not a comment: {sql}")
        kind, named, column, text = found[1], found[2], found[3], found[4].replace("''", "'")
        if kind == "column":
            columns.setdefault(named, {})[column] = text
        else:
            objects[named] = (kind, text)
    others = _OTHERS.search(sqlfiles.statement(path).split("\n", 1)[0])
    return (
        {n: Comment(kind, text, columns.get(n, {})) for n, (kind, text) in objects.items()},
        None if others is None else others[1],
    )


@functools.cache
def of_views() -> Mapping[str, Comment]:
    """Return what is said of each view; `columns` may hold more than the view has."""

    def whole(name: str) -> Comment:
        said, others = _read(name)
        own = said[name]
        inherited = {} if others is None else whole(others).columns
        return Comment(own.kind, own.text, {**inherited, **own.columns})

    return {name: whole(name) for name in sqlfiles.names("comments") if name != "macros"}


@functools.cache
def of_macros() -> Mapping[str, Comment]:
    """Return what is said of each macro; `kind` is `macro` or `macro table`."""
    return _read("macros")[0]


def statement(kind: str, name: str, text: str, column: str = "") -> str:
    """Return the statement that comments an object of the kind, or one of its columns."""
    if column:
        return f"comment on column {quoted(name)}.{quoted(column)} is {literal(text)}"
    return f"comment on {kind} {quoted(name)} is {literal(text)}"


def on(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the statements that comment views and macros, given as `(kind, name)`, where told."""
    for kind, name in names:
        said = (of_views() if kind == "view" else of_macros()).get(name)
        if said is not None:
            yield statement(said.kind, name, said.text)


def of_columns(columns: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the statements that comment columns, given as `(view, column)`, where told."""
    for view, column in columns:
        said = of_views().get(view)
        if said is not None and column in said.columns:
            yield statement("view", view, said.columns[column], column)
