"""The archive of relays: numbered records, kept byte for byte and never overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mazarbul_analytics import schema
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.errors import InvalidValue, RelayConflict, UnknownRelay
from mazarbul_analytics.rules import instants, records
from mazarbul_analytics.rules.records import Record
from mazarbul_analytics.rules.relayids import IdForm
from mazarbul_analytics.tables.snapshots import Snapshot
from mazarbul_analytics.writing.session import Session, refuse_when_disabled, transact

if TYPE_CHECKING:
    from mazarbul_analytics.imports.relays import RelayReport

__all__ = ["Deposited", "RelayList", "Relays"]

Instant = str | date | datetime | None
Read = Callable[[], tuple[Connection, Snapshot]]


@dataclass(frozen=True)
class Deposited:
    """The answer of `deposit`: `status` is `created`, or `duplicate` where the bytes were held."""

    status: str
    relay_id: str
    sha256: str


@dataclass(frozen=True)
class RelayList:
    """What is present and what is known missing: two sorted lists of ids, and the mark `after`.

    `table` has one row an id: `relay_id`, `state` (`PRESENT`, `KNOWN_MISSING`).
    """

    table: pa.Table
    after: str | None = None
    present: list[str] = field(init=False, repr=False)
    known_missing: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        import pyarrow.compute as pc  # noqa: PLC0415 - only listings need it

        held = pc.equal(self.table["state"], "PRESENT")
        ids = self.table["relay_id"]
        object.__setattr__(self, "present", ids.filter(held).to_pylist())
        object.__setattr__(self, "known_missing", ids.filter(pc.invert(held)).to_pylist())

    def __repr__(self) -> str:
        return f"RelayList({len(self.present)} present, {len(self.known_missing)} known missing)"

    def _repr_html_(self) -> str:
        from mazarbul_analytics.display import html_table  # noqa: PLC0415 - notebooks only

        return html_table(self.table, repr(self))


class Relays:
    """The relays of a store: `store.relays`."""

    def __init__(self, root: Path, read: Read) -> None:
        self._root = root
        self._read = read

    def __repr__(self) -> str:
        return f"Relays({str(self._root)!r})"

    def import_(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        mapping: Mapping[str, str] | None = None,
        on_error: str = "reject",
        timezone: str = "UTC",
        trust_deposited_at: bool = False,
        dry_run: bool = False,
        again: bool = False,
        rejects: str | os.PathLike[str] | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        progress: Any = None,  # noqa: ANN401 - a callable of the caller's
    ) -> RelayReport:
        """Import relays: folders of record files (`relay-0733.txt`), CSV, Parquet, JSON lines.

        A table has `id` and either whole records (`record`, `bytes`, or a `body` that begins with
        `@p-e/x0`) or `parent`, `parent_sha256`, `refs`, `from`, `to`, `kind`, `body`. The moment of
        deposit is that of the import; with `trust_deposited_at` the column `deposited_at` tells it,
        instants without an offset being read in `timezone`. What cannot be read, or has other bytes
        than a held record of its id, is left out and listed in `.rejects`; all else goes in by one
        commit. With `on_error="abort"` such a row stops the import.

        Returns a `RelayReport`. Raises `ImportAborted`, `InvalidValue`, `WriterBusy`,
        `WritesDisabled`, `StoreError`.
        """
        from mazarbul_analytics.imports import flow  # noqa: PLC0415 - Polars, when needed
        from mazarbul_analytics.imports import relays as relay_imports  # noqa: PLC0415

        options = flow.Options(
            mapping=dict(mapping or {}),
            on_error=on_error,
            timezone=timezone,
            trust_recorded_at=trust_deposited_at,
            dry_run=dry_run,
            again=again,
            rejects=None if rejects is None else Path(rejects),
            encoding=encoding,
            delimiter=delimiter,
        )
        return relay_imports.import_relays(self._root, paths, options, progress)

    def deposit(self, record: bytes, *, relay_id: str | None = None) -> Deposited:
        """Deposit one record, with its keeper's block if it has one; its bytes are kept exactly.

        Without `relay_id` it takes the id that the record or its keeper's block bears, else the one
        after the highest held, else the store's declared first number, else 1. The same bytes under
        their id are a no-op.

        Raises `InvalidValue` (`bad_header`, `bad_id`) for bytes that are no record, `RelayConflict`
        where the id holds other bytes, `WriterBusy`, `WritesDisabled`, `StoreError`.
        """
        refuse_when_disabled()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise InvalidValue(f"a record is bytes, not {type(record).__name__}", value=record)
        parsed = records.parse(bytes(record), relay_id)
        return transact(self._root, lambda session: _deposit(session, parsed))

    def list(self, *, after: str | None = None, as_of: Instant = None) -> RelayList:
        """Return the ids that are present and those that are known missing, in string order.

        `after` is an id of the store's form, held or not; it is exclusive, compares as a string and
        filters both. `as_of` (transaction time, included) hides what was deposited later. Raises
        `InvalidValue` for a mark of another form.
        """
        connection, snapshot = self._read()
        if after is not None:
            IdForm.of(snapshot.tables["relays"].settings).check(after)
        known = None if as_of is None else instants.parse(as_of)
        table = connection.arrow(
            "select * from relay_list($after, $as_of)", {"after": after, "as_of": known}
        )
        return RelayList(schema.shaped(table, "relay_list"), after)

    def exists(self, relay_id: str) -> str:
        """Return `PRESENT`, `KNOWN_MISSING` (a held record names it) or `UNKNOWN`."""
        connection, _ = self._read()
        return str(connection.scalar(statement("reads/relay_state.sql"), {"relay_id": relay_id}))

    def get(self, relay_id: str) -> bytes:
        """Return a held record's exact bytes. Raises `UnknownRelay`, whose `.state` tells more."""
        connection, _ = self._read()
        found = connection.scalar(
            "select record from relays_files where relay_id = $relay_id", {"relay_id": relay_id}
        )
        if found is not None:
            return bytes(found)
        state = self.exists(relay_id)
        why = {"KNOWN_MISSING": "a held record names it", "UNKNOWN": "no held record names it"}
        raise UnknownRelay(
            f"{relay_id!r} is not held: {state} ({why[state]})", value=relay_id, state=state
        )

    def replies(self, relay_id: str) -> pa.Table:
        """Return the held records whose `parent` or `ref` is an id, one row per naming, by id.

        Columns: `relay_id`, `via` (`parent` or `ref`), `kind`, `sender`, `deposited_at`.
        """
        connection, _ = self._read()
        table = connection.arrow(statement("reads/replies.sql"), {"relay_id": relay_id})
        return schema.shaped(table, "replies")


_HELD = """
select sha256, sender, recipients, parent, parent_sha256, refs, kind
from relays_files where relay_id = $relay_id
"""


def _deposit(session: Session, record: Record) -> Deposited:
    form = IdForm.of(session.snapshot.tables["relays"].settings)
    relay_id = record.relay_id or _next_id(session, form)
    form.check(relay_id)
    given = record.sha256
    held = session.connection.rows(_HELD, {"relay_id": relay_id})
    if held:
        _agree(relay_id, held[0], record)
        return Deposited("duplicate", relay_id, given)
    values: dict[str, Any] = {
        "relay_id": relay_id,
        "sha256": given,
        "refs": list(record.refs),
        "deposited_at": session.instant,
        "import_uid": None,
    }
    columns = schema.TABLES["relays"]
    row = ", ".join(f"cast(${c.name} as {schema.duckdb_type(c)}) as {c.name}" for c in columns)
    session.connection.execute(
        f"create or replace temp table deposited as select {row}",
        {c.name: values.get(c.name, getattr(record, c.name, None)) for c in columns},
    )
    session.append("relays", "select * from deposited")
    return Deposited("created", relay_id, given)


def _next_id(session: Session, form: IdForm) -> str:
    """Return the id after the highest held that no record names.

    One that is named already is a gap, which only a record that bears its id may fill.
    """
    highest = session.connection.scalar("select max(relay_id) from relays_files")
    if highest is None:
        return form.id(1 if form.first is None else form.first)
    above = session.connection.rows(statement("writes/named_above.sql"), {"highest": highest})
    named = {row[0] for row in above}
    number = form.number(highest) + 1
    while form.id(number) in named:
        number += 1
    return form.id(number)


def _agree(relay_id: str, held: tuple[Any, ...], record: Record) -> None:
    """Raise `RelayConflict` where what is held is not what is given."""
    if held[0] != record.sha256:
        raise RelayConflict(
            f"{relay_id} holds other bytes: held sha256 {held[0]}\n"
            f"given sha256 {record.sha256}; a record is never overwritten",
            value=relay_id,
            held=held[0],
            given=record.sha256,
        )
    names = ("sender", "recipients", "parent", "parent_sha256", "refs", "kind")
    for name, known in zip(names, held[1:], strict=True):
        given = getattr(record, name)
        if (tuple(known or ()) if name == "refs" else known) != given:
            raise RelayConflict(
                f"{relay_id} holds the same bytes (sha256 {held[0]}) with another {name}: "
                f"held {known!r}, given {given!r}\na record is never overwritten",
                value=relay_id,
                held=held[0],
                given=record.sha256,
            )
