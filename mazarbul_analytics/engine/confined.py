"""What a query of other people's may do: one SELECT, over the files of the store and no others.

Two belts. The engine opens the tables' folders alone, and its settings are locked. As it would
write there as it reads, and can run text as SQL, a query is looked through before it runs.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from mazarbul_analytics.engine import sqlfiles
from mazarbul_analytics.engine.connection import Connection, translated
from mazarbul_analytics.errors import QueryError
from mazarbul_analytics.quoting import literal, literal_path
from mazarbul_analytics.tables.layout import by_object
from mazarbul_analytics.tables.snapshots import Snapshot

__all__ = ["admit", "confine", "one_select"]

_FUNCTIONS = frozenset(
    {
        "generate_series",
        "histogram",
        "histogram_values",
        "json_each",
        "json_tree",
        "pg_timezone_names",
        "query_table",
        "range",
        "repeat",
        "repeat_row",
        "unnest",
    }
)
"""Table functions of the engine that open no file and run no text; beside them those that only
tell of the engine itself, and the macros of the store."""

_TELLING = ("duckdb_", "pragma_")

# In the engine's JSON of a query a quote inside a text is escaped, so these find its nodes alone.
_WRITE = re.compile(r'"type":"([A-Z]+)_QUERY_NODE"')
_FUNCTION = re.compile(r'"type":"TABLE_FUNCTION".*?"function_name":"((?:[^"\\]|\\.)*)"', re.DOTALL)


def one_select(query: str) -> duckdb.Statement:
    """Return the one statement of a query; raises `QueryError` for anything but one SELECT."""
    try:
        statements = duckdb.extract_statements(query)
        kinds = [statement.type.name for statement in statements]
    except duckdb.Error as error:
        raise translated(error, query, user=True) from error
    except (ValueError, TypeError) as error:  # a kind without a name; bytes that are no text
        raise QueryError("the query was refused: the engine cannot tell what it is") from error
    if kinds == ["SELECT"]:
        return statements[0]
    told = ", ".join(kinds) or "nothing"
    if kinds == ["MULTI"]:
        told = "a PIVOT, which the engine runs as several statements (use FILTER aggregates)"
    raise QueryError(f"sql takes one SELECT, not {told}: the store is only read", sql=query)


def admit(connection: Connection, query: str) -> None:
    """Raise `QueryError` unless a query is one SELECT that writes nothing and runs no text as SQL.

    A SELECT may hold a COPY in its WITH, and `json_execute_serialized_sql` runs any statement. So
    only the table functions are let through of which it is known what they do.
    """
    one_select(query)
    tree = connection.scalar("select json_serialize_sql($query)", {"query": query})
    if '"error":true' in tree[:20]:
        raise QueryError("the query was refused: the engine cannot look through it", sql=query)
    write = _WRITE.search(tree)
    if write is not None:
        raise QueryError(
            f"sql takes one SELECT, and this one holds {write[1]}: the store is only read",
            sql=query,
        )
    known = _FUNCTIONS | {name for name, _ in sqlfiles.objects()}
    for name in _FUNCTION.findall(tree):
        if name.lower() not in known and not name.lower().startswith(_TELLING):
            raise QueryError(
                f"the query was refused: {name}() is no macro of the store\n"
                "A query reads the store's own views (`show tables`) and macros.",
                sql=query,
            )


def confine(connection: Connection, snapshot: Snapshot) -> None:
    """Let a connection open the files of a snapshot's tables, and lock its settings for good.

    The folder for what it spills stays open to it. A table's folder, and a file in it, may be a
    link: the store's keeper put it there.
    """
    folders = [snapshot.root / name for name in snapshot.tables]
    copies = by_object(snapshot.root / "relations" / "any").parent
    files = [
        snapshot.root / n / f.path for n, state in snapshot.tables.items() for f in state.files
    ]
    links = [p for file in files for p in (file, copies / file.name) if p.is_symlink()]
    # in this order: with external access off no folder can be added, with the lock nothing be set
    connection.execute(f"set allowed_paths = [{_spelled(links)}]")
    connection.execute(f"set allowed_directories = [{_spelled([*folders, copies])}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def _spelled(paths: list[Path]) -> str:
    """Return paths for a list in SQL, each as it is and as the views spell it, for one file."""
    return ", ".join(sorted({spell for p in paths for spell in (literal(str(p)), literal_path(p))}))
