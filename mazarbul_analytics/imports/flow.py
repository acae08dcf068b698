"""What every import shares: its options, files seen before, its rows in `imports`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import polars as pl

from mazarbul_analytics.engine.connection import Connection, connect
from mazarbul_analytics.errors import ImportAborted, InvalidValue
from mazarbul_analytics.files.sources import Source
from mazarbul_analytics.files.text import sha256_of
from mazarbul_analytics.imports.rejects import check_target
from mazarbul_analytics.rules import instants, names
from mazarbul_analytics.rules.columns import mapped_columns
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.version import __version__

__all__ = ["STATUSES", "Options", "abort", "import_row", "seen_before", "unseen"]

STATUSES = ("created", "corrected", "duplicates", "removed", "unchanged")


@dataclass(frozen=True)
class Options:
    """How an import is to be read and applied; the verbs of `Store` document each."""

    mapping: Mapping[str, str] = field(default_factory=dict)
    scope: str = "project"
    on_error: str = "reject"
    exclusive: Sequence[str] = ()
    timezone: str = "UTC"
    dry_run: bool = False
    again: bool = False
    trust_recorded_at: bool = False
    rejects: Path | None = None
    encoding: str | None = None
    delimiter: str | None = None

    def checked(self, kind: str) -> Options:
        """Return the options in their normal form for an import of a kind, or `InvalidValue`."""
        if self.on_error not in ("reject", "abort"):
            raise InvalidValue(
                f"on_error is 'reject' or 'abort': {self.on_error!r}", value=self.on_error
            )
        instants.zone(self.timezone)
        mapped_columns(self.mapping, kind)
        if self.rejects is not None:
            check_target(self.rejects)
        if isinstance(self.exclusive, str):
            raise InvalidValue(
                f"exclusive is a list of predicates: [{self.exclusive!r}]", value=self.exclusive
            )
        exclusive = tuple(sorted({names.predicate(p) for p in self.exclusive}))
        return replace(self, scope=names.scope(self.scope), exclusive=exclusive)

    def identity(self, kind: str) -> str:
        """Return what, beside the bytes, makes two imports of a file the same one."""
        return json.dumps(
            {
                "kind": kind,
                "scope": self.scope,
                "mapping": dict(sorted(self.mapping.items())),
                "timezone": self.timezone,
                "exclusive": list(self.exclusive),
                "trust": self.trust_recorded_at,
                "encoding": self.encoding,
                "delimiter": self.delimiter,
            },
            sort_keys=True,
        )


def seen_before(connection: Connection, identity: str) -> dict[str, int]:
    """Return the sha256 and size of every file that was imported with the same options."""
    rows = connection.rows(
        "select sha256, bytes from imports where options = $identity", {"identity": identity}
    )
    return dict(rows)


def unseen(
    state: snapshots.Snapshot, files: Sequence[Path], options: Options, kind: str
) -> tuple[list[Path], list[str]]:
    """Return the files to import, and those that were imported before with the same options.

    Only a file whose size was seen is hashed.
    """
    if options.again:
        return list(files), []
    connection = connect(state)
    try:
        known = seen_before(connection, options.identity(kind))
    finally:
        connection.close()
    sizes = [path.stat().st_size for path in files]
    wanted: list[Path] = []
    skipped: list[str] = []
    in_call: set[str] = set()
    for path, size in zip(files, sizes, strict=True):
        if size in known.values() or sizes.count(size) > 1:
            digest = sha256_of(path)
            if digest in known or digest in in_call:
                skipped.append(str(path))
                continue
            in_call.add(digest)
        wanted.append(path)
    return wanted, skipped


def abort(rejects: pl.DataFrame) -> ImportAborted:
    """Return the error of an import that must not fail in any row and does."""
    first = rejects.row(0, named=True)
    return ImportAborted(
        f"{rejects.height} rows fail, nothing was written; the first: {first['file']} line "
        f"{first['line']}: {first['reason']} {names.shown(first['value'])}\n"
        "Mend them, or let the good rows in (without --on-error abort).",
        file=first["file"],
        rejects=rejects,
    )


def import_row(
    source: Source,
    identity: str,
    counts: Mapping[str, int],
    *,
    kind: str,
    uids: tuple[str, str],
    times: tuple[datetime, datetime],
) -> dict[str, object]:
    """Return the row of `imports` for one file; `counts` has the statuses and `rejected`.

    `uids` are the import's and the call's, `times` when the call began and the commit's instant.
    """
    told = {name: counts.get(name, 0) for name in (*STATUSES, "rejected")}
    return {
        "import_uid": uids[0],
        "call_uid": uids[1],
        "kind": kind,
        "file": str(source.path),
        "sha256": source.sha256,
        "bytes": source.size,
        "options": identity,
        "rows": sum(told.values()),
        **told,
        "started_at": instants.format(times[0]),
        "recorded_at": instants.format(times[1]),
        "tool_version": __version__,
    }
