"""PostgreSQL through ADBC: connect, execute, copy Arrow in, translate errors.

This is the one module that talks to PostgreSQL. Statements are logged as those of DuckDB are, never
the URL. Nothing that it raises holds a password: a URL is checked before libpq sees it, since what
libpq says of a malformed one may quote any part of it.
"""

from __future__ import annotations

import logging
import os
import re
from typing import TYPE_CHECKING, Any, NoReturn, Self

import pyarrow as pa

from mazarbul_analytics.errors import InvalidValue, StoreError

if TYPE_CHECKING:
    from adbc_driver_manager import Error

__all__ = ["NOTHING", "Server", "refuse_url"]

EXTRA = "publish needs the extra [postgres]: pip install 'mazarbul-analytics[postgres]'"
SCHEMES = ("postgresql://", "postgres://")
LONGEST_WAIT = 30
"""Seconds to wait for a host that does not answer, where URL and environment say nothing."""

log = logging.getLogger("mazarbul_analytics.sql")

_BAD_URL = "\nWrite postgresql://USER@HOST:5432/DATABASE; the password is best kept in ~/.pgpass."
_ESCAPES = "\nIn a name or password write : / ? # @ % as %3A %2F %3F %23 %40 %25."
_PREFIX = re.compile(
    r"^[A-Z_]+: (?:\[libpq\] )?(?:(?:Failed to|Error) [^:\n]*: )?(?:PGRES_\w+ )?(?:[^\W\d_]+:\s+)?"
)
_MENDS = {
    "42501": "Let its owner grant that, or name another schema: --schema NAME.",
    "55P03": "Another publish, or a change of the tables, holds a lock; try again.",
    "53100": "Free some space on the server, and try again.",
    "22P05": "The database needs the encoding UTF8.",
}
CANCELED = "57014"
NOTHING = "Nothing was changed."
"""How a failure before the commit ends."""


def refuse_url(url: str) -> None:
    """Raise `InvalidValue` for what is no well-formed URL of PostgreSQL; no message quotes it."""
    scheme = next((s for s in SCHEMES if url.startswith(s)), None)
    if scheme is None:
        raise InvalidValue(f"not a URL of PostgreSQL{_BAD_URL}", reason="bad_url")
    rest = url.removeprefix(scheme)
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    why = None
    if not rest.isprintable() or re.search(r"[\s#]", rest):
        why = "it holds white space, a control character or a #"
    elif re.search(r"%(?![0-9A-Fa-f]{2})|%00", rest):
        why = "a % is not followed by two hexadecimal digits"
    elif rest.count("@") > authority.count("@") or authority.count("@") > 1:
        why = "it holds an @ too many"
    elif not all(
        re.fullmatch(r"(?:\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::[0-9]{0,5})?", host)
        for host in authority.rpartition("@")[2].split(",")
    ):
        why = "the port is no number"
    if why is not None:
        raise InvalidValue(
            f"the URL of PostgreSQL cannot be read: {why}{_ESCAPES}", reason="bad_url"
        )


class Server:
    """A connection to PostgreSQL in one transaction, which leaving without `commit` undoes.

    Raises `InvalidValue` for a URL that is none, `StoreError` where the driver is not installed or
    no connection is to be had.
    """

    def __init__(self, url: str) -> None:
        refuse_url(url)
        try:
            import sqlglot  # noqa: F401, PLC0415 - an extra, whole or not at all
            from adbc_driver_manager import Error  # noqa: PLC0415
            from adbc_driver_postgresql import dbapi  # noqa: PLC0415
        except ImportError as error:
            raise StoreError(EXTRA) from error
        self._error = Error
        if "connect_timeout=" not in url and "PGCONNECT_TIMEOUT" not in os.environ:
            url += f"{'&' if '?' in url else '?'}connect_timeout={LONGEST_WAIT}"
        try:
            self._connection = dbapi.connect(url)
        except Error as error:
            raise StoreError(
                f"cannot connect to PostgreSQL: {_first_line(error)}\n{NOTHING}"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def execute(self, sql: str) -> None:
        """Run one statement that gives no rows."""
        log.debug("postgresql: %s", sql)
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql)
            except self._error as error:
                self._fail(error, sql)

    def rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """Run one query with values for its $1, $2, … and return its few rows."""
        log.debug("postgresql: %s -- %s", sql, values)
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(sql, values or None)
                return list(cursor.fetchall())
            except self._error as error:
                self._fail(error, sql)

    def copy(self, schema: str, table: str, rows: pa.RecordBatchReader) -> int:
        """Send batches into a table by COPY, columns by name; return how many rows there were."""
        log.debug("postgresql: copy %s.%s", schema, table)
        with self._connection.cursor() as cursor:
            try:
                return int(cursor.adbc_ingest(table, rows, mode="append", db_schema_name=schema))
            except self._error as error:
                self._fail(error, f"copy {table}")

    def commit(self) -> None:
        """Make what was done stay."""
        try:
            self._connection.commit()
        except self._error as error:
            raise StoreError(
                f"the commit failed: {_first_line(error)}\n"
                "Look into the table published whether it is done, and try again."
            ) from error

    def _fail(self, error: Error, sql: str) -> NoReturn:
        if error.sqlstate == CANCELED and "user request" in str(error):
            raise KeyboardInterrupt from error  # the driver makes this of Ctrl-C
        mend = _MENDS.get(error.sqlstate or "", "")
        fault = StoreError(
            f"PostgreSQL: {_first_line(error)}\n{mend} {NOTHING}".replace("\n ", "\n")
        )
        fault.add_note(f"SQL: {sql}")
        raise fault from error


def _first_line(error: Error) -> str:
    """Return what PostgreSQL or libpq said, without what the driver puts around it."""
    said = _PREFIX.sub("", str(error)).strip().split("\n", 1)[0]
    return said.rstrip(". ") or "the connection was lost"
