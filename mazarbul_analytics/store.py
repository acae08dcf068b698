"""Store: the façade. Verbs only; each parses nothing and decides nothing itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from mazarbul_analytics.engine.connection import Connection, connect
from mazarbul_analytics.ledger import entities as _entities
from mazarbul_analytics.ledger import relate, relations
from mazarbul_analytics.ledger.entities import Entity
from mazarbul_analytics.ledger.relate import Related, Removed
from mazarbul_analytics.rules import instants
from mazarbul_analytics.tables import snapshots

if TYPE_CHECKING:
    from mazarbul_analytics.door.publish import Published
    from mazarbul_analytics.imports.entities import EntityReport
    from mazarbul_analytics.imports.relations import ImportReport
    from mazarbul_analytics.relays.archive import Relays
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["Store"]

Instant = str | date | datetime | None
Paths = str | Path | Sequence[str | Path]


class Store:
    """A store on disk: relations, entities, relays and imports as Delta tables in one folder.

    `path` is the folder. With `create` it is made where there is none, with the settings
    `relay_id_form` and `relay_first`. Raises `StoreError` where there is no store or it is damaged.

    A store reads the newest state of its tables at each call. It may be used from several threads.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        relay_id_form: str | None = None,
        relay_first: int | None = None,
    ) -> None:
        self.path = Path(path).absolute()
        if create:
            from mazarbul_analytics.upkeep.create import ensure

            ensure(self.path, relay_id_form=relay_id_form, relay_first=relay_first)
        self._guard = threading.Lock()
        self._snapshot = snapshots.snapshot(self.path)
        self._connections: dict[bool, Connection] = {}

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def close(self) -> None:
        """Let go of what is open; the next call opens it anew."""
        with self._guard:
            while self._connections:
                self._connections.popitem()[1].close()

    def _read(self, *, confined: bool = False) -> tuple[Connection, snapshots.Snapshot]:
        """Return a handle on the newest state."""
        with self._guard:
            if not self._connections or not self._snapshot.is_current():
                self._snapshot = snapshots.snapshot(self.path)
                self._connections = {}
            if confined not in self._connections:
                opened = connect(self._snapshot)
                if confined:
                    from mazarbul_analytics.engine.confined import confine

                    confine(opened, self._snapshot)
                self._connections[confined] = opened
            return self._connections[confined].cursor(), self._snapshot

    # -- writing ---------------------------------------------------------------------------------

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002 - the field's standard term
        *,
        subject_type: str | None = None,
        object_type: str | None = None,
        attributes: Mapping[str, object] | str | None = None,
        valid_from: Instant = None,
        valid_to: Instant = None,
        scope: str = "project",
        source_event_uid: str | None = None,
        exclusive: bool = False,
    ) -> Related:
        """Tell that a relation holds over [valid_from, valid_to), and nothing of the rest of time.

        `subject` and `object` are names or references by uid; unknown names become entities.
        `valid_from` None is the moment of recording, `-infinity` always; `valid_to` None is open.
        `attributes` None keeps what is there, `{}` is none. `exclusive` ends every other object of
        the same scope, subject and predicate in that period (SQL:2011's FOR PORTION OF).

        Returns a `Related`: `.status` is `created`, `corrected` or `duplicate`. Raises
        `InvalidValue`, `SelfReference`, `UnknownEntity`, `AmbiguousEntity`, `WriterBusy`,
        `WritesDisabled`, `StoreError`; then nothing was written.
        """
        return relate.relate(
            self.path,
            subject,
            predicate,
            object,
            subject_type=subject_type,
            object_type=object_type,
            attributes=attributes,
            valid_from=valid_from,
            valid_to=valid_to,
            scope=scope,
            source_event_uid=source_event_uid,
            exclusive=exclusive,
        )

    def unrelate(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002 - the field's standard term
        *,
        valid_from: Instant = None,
        valid_to: Instant = None,
        scope: str = "project",
    ) -> Removed:
        """Take the portion [valid_from, valid_to) of a relation away; the default is from now on.

        Returns a `Removed`: `.status` is `removed` or `unchanged`. Raises `UnknownEntity`,
        `UnknownRelation` and what `relate` raises.
        """
        return relate.unrelate(
            self.path,
            subject,
            predicate,
            object,
            valid_from=valid_from,
            valid_to=valid_to,
            scope=scope,
        )

    def retract(self, relation_uid: str) -> Removed:
        """Take all of a relation away, as recorded in error; what was known before stays known.

        Returns a `Removed`. Raises `UnknownRelation` for a uid that was never held.
        """
        return relate.retract(self.path, relation_uid)

    def import_relations(
        self,
        paths: Paths,
        *,
        mapping: Mapping[str, str] | None = None,
        scope: str = "project",
        on_error: str = "reject",
        exclusive: Sequence[str] = (),
        timezone: str = "UTC",
        dry_run: bool = False,
        again: bool = False,
        trust_recorded_at: bool = False,
        rejects: str | os.PathLike[str] | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        progress: Any = None,  # noqa: ANN401 - a callable of the caller's
    ) -> ImportReport:
        """Import relations from CSV, Parquet or JSON lines (files, a list of them, or a glob).

        Rows apply in file order, as if `relate` were called for each; all go in by one commit, or
        none does. Rows that fail are left out and listed in `.rejects` (and in the file `rejects`);
        with `on_error="abort"` they stop the import. `exclusive` names predicates of which a
        subject has one object at a time. With `trust_recorded_at` the column `recorded_at` says
        when each row was learned. `progress(done_bytes, all_bytes)` is called while files are read.

        Returns an `ImportReport`. Raises `ImportAborted` and what `relate` raises.
        """
        from mazarbul_analytics.imports import flow
        from mazarbul_analytics.imports import relations as relation_imports

        options = flow.Options(
            mapping=dict(mapping or {}),
            scope=scope,
            on_error=on_error,
            exclusive=exclusive,
            timezone=timezone,
            dry_run=dry_run,
            again=again,
            trust_recorded_at=trust_recorded_at,
            rejects=None if rejects is None else Path(rejects),
            encoding=encoding,
            delimiter=delimiter,
        )
        return relation_imports.import_relations(self.path, paths, options, progress)

    def import_entities(
        self,
        paths: Paths,
        *,
        mapping: Mapping[str, str] | None = None,
        on_error: str = "reject",
        dry_run: bool = False,
        again: bool = False,
        rejects: str | os.PathLike[str] | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
    ) -> EntityReport:
        """Import entities: columns `entity_uid` (may be missing), `name`, `type`.

        A known uid with another name or type is a row error (`entity_conflict`); two uids with one
        name are two entities. Returns an `EntityReport`; raises as `import_relations` does.
        """
        from mazarbul_analytics.imports import entities as entity_imports
        from mazarbul_analytics.imports import flow

        options = flow.Options(
            mapping=dict(mapping or {}),
            on_error=on_error,
            dry_run=dry_run,
            again=again,
            rejects=None if rejects is None else Path(rejects),
            encoding=encoding,
            delimiter=delimiter,
        )
        return entity_imports.import_entities(self.path, paths, options)

    # -- reading ---------------------------------------------------------------------------------

    def relations(
        self,
        entity: str,
        *,
        at: Instant = None,
        as_of: Instant = None,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 50,
        include_inactive: bool = False,
    ) -> relations.Listing:
        """Return the relations of an entity, both directions, live at `at` as known at `as_of`.

        `at` (valid time) defaults to now, `as_of` (transaction time) to all that is recorded; both
        instants are judged against half-open periods: a start is in, an end is out. `scopes`
        defaults to project and personal. `include_inactive` shows every version recorded by
        `as_of`, with its `status`. Order: valid_from descending (null last), recorded_at
        descending, relation_uid, version; `limit` cuts after filter and order.

        Returns a `Listing` around a `pyarrow.Table` of the columns `direction`, `relation_uid`,
        `version`, `scope`, `subject_uid`, `subject`, `subject_type`, `predicate`, `object_uid`,
        `object`, `object_type`, `attributes`, `valid_from`, `valid_to`, `recorded_at`,
        `superseded_at`, `status`, `source_event_uid`. Raises `UnknownEntity`, `AmbiguousEntity`,
        `InvalidValue`, `StoreError`.
        """
        connection, snapshot = self._read()
        return relations.listing(
            connection,
            snapshot,
            entity,
            at=at,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
            limit=limit,
            include_inactive=include_inactive,
        )

    def history(
        self,
        entity: str,
        *,
        as_of: Instant = None,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return every version of an entity's relations that was recorded by `as_of`.

        Columns and order are those of `relations` without `direction`; `status` is judged now.
        """
        connection, snapshot = self._read()
        return relations.history(
            connection, snapshot, entity, as_of=as_of, predicates=predicates, scopes=scopes
        )

    def neighbors(
        self,
        entity: str,
        *,
        depth: int = 2,
        at: Instant = None,
        as_of: Instant = None,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
        direction: str = "both",
    ) -> pa.Table:
        """Return who is reachable within `depth` steps over relations live at `at` as of `as_of`.

        A step goes from subject to object (`direction` `outgoing`), the other way (`incoming`), or
        either (`both`). Each entity is there once, at its distance, with one shortest path (of
        several the one that sorts first by uids); the start is not. Order: distance, name, uid.

        Columns: `entity_uid`, `entity`, `entity_type`, `distance`, `path` (names from the start to
        the entity), `path_uids`, `relation_uids` (one a step). Raises as `relations` does.
        """
        from mazarbul_analytics.ledger import analysis

        connection, snapshot = self._read()
        return analysis.neighbors(
            connection,
            snapshot,
            entity,
            depth=depth,
            at=at,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
            direction=direction,
        )

    def changes(
        self,
        since: Instant,
        until: Instant = None,
        *,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return what the ledger learned after `since`, up to and including `until`.

        It is the difference of what was known as of the two transaction instants: put to the state
        of `since` it gives that of `until`, and calls that follow each other lose and repeat
        nothing. `since` None is the beginning, `until` None all that is recorded. One row for each
        portion [`valid_from`, `valid_to`) of a relation of which something else is known; portions
        that were written again because of a neighbour are no change.

        Columns: `change` (`created`; `corrected`: other attributes, or a known period became
        longer or shorter; `ended`: an open period got its end; `retracted`), `relation_uid`,
        `scope`, `subject_uid`, `subject`, `predicate`, `object_uid`, `object`, `valid_from`,
        `valid_to`, `known_before`, `known_after`, `attributes_before`, `attributes_after`,
        `version_before`, `version_after`, `recorded_at`, `source_event_uid`. Order: recorded_at,
        relation_uid, valid_from (null first). Raises `InvalidValue`, `StoreError`.
        """
        from mazarbul_analytics.ledger import analysis

        connection, _ = self._read()
        return analysis.changes(connection, since, until, predicates=predicates, scopes=scopes)

    def activity(
        self,
        start: Instant,
        stop: Instant,
        step: str | timedelta,
        *,
        as_of: Instant = None,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return how many relations were live at each instant of a grid, by predicate.

        The instants (valid time) are `start`, `start` + `step`, … up to `stop`, both ends in;
        `step` is a length (`30m`, `12h`, `7d`, a timedelta) or calendar time in UTC (`1 month`,
        `1 quarter`, `1 year`). `as_of` hides what was recorded later.

        Columns: `at`, `predicate`, `live` (zeros too; a predicate that is never live has no rows).
        Order: at, predicate. Raises `InvalidValue`, `StoreError`.
        """
        from mazarbul_analytics.ledger import analysis

        connection, _ = self._read()
        return analysis.activity(
            connection, start, stop, step, as_of=as_of, predicates=predicates, scopes=scopes
        )

    def point_in_time(
        self,
        probes: Any,  # noqa: ANN401 - any tabular thing
        *,
        entity: str,
        at: str,
        as_of: str | None = None,
        predicates: Sequence[str] | None = None,
        scopes: Sequence[str] | None = None,
        exclusive: bool = False,
        direction: str = "outgoing",
        timezone: str = "UTC",
    ) -> Any:  # noqa: ANN401 - Polars for Polars, else Arrow
        """Join probes to the relations that were live at their instant, as known then.

        `probes` is a frame of Polars or pandas, an Arrow table, or the path of a CSV or Parquet
        file. `entity`, `at` and `as_of` name its columns: an entity (a name or a reference by uid),
        an instant of valid time, and one of transaction time (no column, or an empty cell: all
        that is recorded); it may be the column of `at`. Times without an offset are local to
        `timezone`. Nothing recorded after `as_of` and nothing that begins after `at` is seen.

        The entity is the subject of the relations, or with `direction="incoming"` their object.
        `exclusive` gives at most one match per probe and predicate: the relation that began last,
        of those that began together the one of the highest version.

        Returns a Polars frame for Polars, else an Arrow table. One row per probe and match, and one
        for a probe without a match; in the order of the probes, of each the relation that began
        last first (valid_from descending, null last; then version descending). The probes' own
        columns come first, unchanged, then `probe_status` (`matched`, `no_match`, or
        why the probe could not be asked: `unknown_name`, `unknown_uid`, `ambiguous_name`,
        `missing_value`, `bad_instant` and the other reasons of imports), `relation_uid`,
        `version`, `scope`, `subject_uid`, `subject`, `predicate`, `object_uid`, `object`,
        `object_type`, `attributes`, `valid_from`, `valid_to`, `recorded_at`, `source_event_uid`.
        Where a probe's column has such a name, ours gets `relation_` before it.
        Raises `InvalidValue`, `StoreError`.
        """
        from mazarbul_analytics.ledger import pointintime

        connection, _ = self._read()
        return pointintime.point_in_time(
            connection,
            probes,
            entity=entity,
            at=at,
            as_of=as_of,
            predicates=predicates,
            scopes=scopes,
            exclusive=exclusive,
            direction=direction,
            timezone=timezone,
        )

    def entities(self, *, like: str | None = None) -> pa.Table:
        """Return the entities whose name holds `like` (no wildcards, case folded), by name.

        Columns: `entity_uid`, `name`, `type`, `recorded_at`.
        """
        connection, _ = self._read()
        return _entities.listing(connection, like)

    def entity(self, entity: str) -> Entity:
        """Return the one entity that a reference names: `.uid`, `.name`, `.type`.

        Raises `UnknownEntity` or `AmbiguousEntity`, each with `.candidates`.
        """
        connection, _ = self._read()
        return _entities.resolve(connection, entity)

    def sql(
        self,
        query: str,
        *,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        confined: bool = False,
    ) -> duckdb.DuckDBPyRelation:
        """Return a SELECT over the views and macros of `sql/` as a DuckDB relation.

        The relation stays on the state of the store that was newest at this call. Values are bound
        by `params`. Raises `QueryError`.

        The engine does what the query says, as the program that calls: it may read and write every
        file that the process may. For a query by somebody else there is `confined`, as the command
        `mazarbul sql` uses it: one SELECT, which opens the store's files alone and writes nothing.
        """
        connection, _ = self._read(confined=confined)
        if confined:
            from mazarbul_analytics.engine.confined import admit

            admit(connection, query)
        try:
            return connection.raw.sql(query, params=params)
        except duckdb.Error as error:
            raise connection.fault(error, query, user=True) from error

    # -- relays ----------------------------------------------------------------------------------

    @property
    def relays(self) -> Relays:
        """The archive of relays: `import_`, `deposit`, `list`, `get`, `exists`, `replies`."""
        from mazarbul_analytics.relays.archive import Relays

        return Relays(self.path, self._read)

    def gaps(
        self,
        *,
        as_of: Instant = None,
        since: Instant = None,
        older_than: str | timedelta | None = None,
        state: str | os.PathLike[str] | None = None,
        last: str | None = None,
    ) -> GapReport:
        """Report what of the relays is known to be missing, and the holes in their numbers.

        `as_of` (transaction time, included) defaults to now. New and closed are judged against
        the instant `since`, or the report that the file `state` remembers (one of the two; without
        either, everything is new). `older_than` (`30m`, `12h`, `7d`) lists only gaps known that
        long. `last` is the id up to which holes are looked for, else the last present one.

        Returns a `GapReport` of Arrow tables; its `remember()` writes the state file. Raises
        `InvalidValue`, `StoreError`.
        """
        from mazarbul_analytics.relays import gaps

        connection, snapshot = self._read()
        return gaps.report(
            connection,
            snapshot,
            as_of=as_of,
            since=since,
            older_than=older_than,
            state=state,
            last=last,
        )

    # -- keeping ---------------------------------------------------------------------------------

    def optimize(self) -> dict[str, int]:
        """Rewrite the tables into sealed, sorted files; return the rows rewritten of each table.

        No answer changes. Readers of the old files go on; `vacuum` deletes them later.
        """
        from mazarbul_analytics.upkeep.optimize import optimize

        return optimize(self.path)

    def vacuum(self, older_than: str | timedelta = "7d") -> list[str]:
        """Delete files that no commit names any more and that are older; return their names."""
        from mazarbul_analytics.upkeep.vacuum import vacuum

        return vacuum(self.path, instants.duration(older_than))

    def check(self) -> pa.Table:
        """Verify the store; return its findings (severity, subject, finding); none when well."""
        from mazarbul_analytics.upkeep.check import check

        return check(self.path)

    def info(self) -> dict[str, Any]:
        """Return counts, sizes and table versions."""
        from mazarbul_analytics.upkeep.info import info

        connection, snapshot = self._read()
        return info(connection, snapshot)

    def catalog(
        self, *, extract: str | os.PathLike[str] | None = None, relay_bytes: bool = False
    ) -> Path:
        """Build the door for BI tools anew, or write a self-contained copy to `extract`.

        The copy has native tables under the names of the door's views, with their comments;
        `relays` is without the bytes (`record`) unless `relay_bytes` asks for them. It takes the
        place of an older one when it is whole. Returns the path that was written. Raises
        `InvalidValue` for a path that is not to be written, `StoreError`.
        """
        from mazarbul_analytics.upkeep.catalog import catalog

        target = None if extract is None else Path(extract)
        return catalog(self.path, target, relay_bytes=relay_bytes)

    def publish(
        self, url: str, *, schema: str = "mazarbul", relay_bytes: bool = False
    ) -> Published:
        """Copy the extract's tables and views into a schema of PostgreSQL, in one transaction.

        `url` is `postgresql://USER@HOST:PORT/DATABASE`. The rows of the last publish are replaced;
        a reader has the old ones until the commit. Tables, views and grants of others stay, and
        what no publish made is not touched. `relay_bytes` copies the bytes of the relays too.
        Needs the extra: `pip install 'mazarbul-analytics[postgres]'`.

        Returns a `Published`: `.schema`, `.rows` (by table), `.views`, `.adapted` (rows by table in
        which a value is spelled otherwise, since PostgreSQL cannot hold it). Raises `InvalidValue`
        for a URL or a schema that is none, and `StoreError`; then nothing was changed.
        """
        from mazarbul_analytics.door import publish as _publish

        return _publish.publish(snapshots.snapshot(self.path), url, schema, relay_bytes=relay_bytes)
