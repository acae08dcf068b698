"""Write docs/sql.md: what the door says of its views, columns and macros.

python tools/write_sql_reference.py            # write it
python tools/write_sql_reference.py --check    # exit 1 when it is stale
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from mazarbul_analytics import Store
from mazarbul_analytics.engine import sqlfiles

TARGET = Path(__file__).resolve().parent.parent / "docs" / "sql.md"
INTERNAL = "Internal"

HEAD = """\
# SQL reference

Written by `tools/write_sql_reference.py` from the comments behind `catalog.duckdb`; a test fails
when it is stale. A BI tool shows the same texts, and so does
`select table_name, column_name, comment from duckdb_columns()`. `mazarbul sql` and `Store.sql` have
the same views and macros.

Valid time is when something was true in the world (`at`), transaction time when this store knew it
(`as_of`). A start is in, an end is out, null is open. Any instant may be given as text,
TIMESTAMPTZ, TIMESTAMP or DATE; without an offset it is UTC, whatever the session's time zone is.
An extract (`mazarbul catalog --extract FILE`) has the views as tables, and no macros. The door asks
for DuckDB 1.2 or newer, an extract for any 1.x.
"""

PROBES = 'create temp table probes (entity_uid varchar, "at" timestamptz, as_of timestamptz)'


def reference() -> str:
    """Return the whole page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Store(Path(folder) / "store", create=True).catalog()
        with duckdb.connect(str(path), read_only=True) as door:
            door.execute(PROBES)
            return "\n".join([HEAD, *_views(door), *_macros(door), *_internal(door)])


def _views(door: duckdb.DuckDBPyConnection) -> Iterator[str]:
    yield "## Views\n"
    for name, said in _told(door, "view"):
        yield f"### `{name}`\n\n{said}\n"
        yield "| column | type | meaning |\n|---|---|---|"
        query = """
            select column_name, data_type, comment from duckdb_columns()
            where not internal and table_name = ? order by column_index
        """
        for column, kind, text in door.execute(query, [name]).fetchall():
            shown = kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
            yield f"| `{column}` | {shown} | {_cell(text)} |"
        yield ""


def _macros(door: duckdb.DuckDBPyConnection) -> Iterator[str]:
    yield "## Table macros\n"
    for name, said in _told(door, "table_macro"):
        columns = door.execute(f"describe from {name}({_nothing(name)})").fetchall()
        yield f"### `{_signature(name)}`\n\n{said}\n"
        yield f"Columns: {', '.join(f'`{column[0]}`' for column in columns)}\n"
    yield "## Scalar macros\n\n| macro | meaning |\n|---|---|"
    for name, said in _told(door, "macro"):
        yield f"| `{_signature(name)}` | {_cell(said)} |"
    yield ""


def _internal(door: duckdb.DuckDBPyConnection) -> Iterator[str]:
    yield "## Not to be used\n"
    yield "What the views and macros above are made of; it may change with any release.\n"
    for kind in ("view", "table_macro", "macro"):
        names = [name for name, _ in _told(door, kind, internal=True)]
        yield f"- {kind.replace('_', ' ')}s: {', '.join(f'`{name}`' for name in names)}"
    yield ""


def _told(
    door: duckdb.DuckDBPyConnection, kind: str, *, internal: bool = False
) -> list[tuple[str, str]]:
    """List the objects of a kind with what is said of each."""
    query = """
        select view_name as name, comment, 'view' as kind from duckdb_views() where not internal
        union all
        select function_name, comment, function_type from duckdb_functions() where not internal
    """
    found = door.execute(
        f"select name, comment from ({query}) where kind = ? order by name", [kind]
    )
    return [row for row in found.fetchall() if row[1].startswith(INTERNAL) is internal]


def _signature(name: str) -> str:
    """Return how a macro is called, with the defaults that the catalog does not tell."""
    for text in (text for found, text in sqlfiles.objects() if found == name):
        match = re.search(rf"macro {name}\((.*?)\) as", text, re.DOTALL)
        if match is not None:
            return f"{name}({' '.join(match[1].split())})".replace('"', "")
    return f"{name}()"


def _nothing(name: str) -> str:
    """Return arguments with which a table macro can be described."""
    given = [part.strip() for part in _signature(name)[len(name) + 1 : -1].split(",")]
    return ", ".join(
        "'probes'" if part == "probes" else "null" for part in given if ":=" not in part
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the page, or compare it with `--check`."""
    text = reference()
    if "--check" in sys.argv[1:]:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        print("docs/sql.md is fresh" if fresh else "docs/sql.md is stale: run this without --check")
        return 0 if fresh else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
