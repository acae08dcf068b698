"""Import of relations: stage the files, decide set-wise, write all in one commit."""

from __future__ import annotations

import json
import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from mazarbul_analytics.engine.connection import Connection, connect, overlay
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.files import opening
from mazarbul_analytics.files.outputs import refuse_output, refuse_read_only
from mazarbul_analytics.imports.flow import (
    STATUSES,
    Options,
    abort,
    import_row,
    seen_before,
    unseen,
)
from mazarbul_analytics.imports.rejects import gather, write_rejects
from mazarbul_analytics.imports.staging import Progress, Stage, stage_relations
from mazarbul_analytics.rules import names
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.writing import painting
from mazarbul_analytics.writing.session import (
    IMPORTS_KEY,
    Session,
    append_imports,
    refuse_when_disabled,
    transact,
)

__all__ = ["ImportReport", "import_relations"]

_COUNTED = {"duplicate": "duplicates"}


@dataclass
class ImportReport:
    """What an import did. The counts of outcomes and `rejected` add up to `rows`.

    `rejects` is a Polars frame: file, line (the header is 1; in Parquet and JSON lines the row,
    from 1), column, reason, value. `skipped` lists files that were imported before.
    """

    rows: int = 0
    created: int = 0
    corrected: int = 0
    duplicates: int = 0
    removed: int = 0
    unchanged: int = 0
    rejected: int = 0
    rejects: pl.DataFrame = field(default_factory=lambda: gather([], []))
    skipped: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    ignored_columns: list[str] = field(default_factory=list)
    type_conflicts: int = 0
    lost_digits: int = 0
    seconds: float = 0.0
    dry_run: bool = False


def import_relations(
    root: Path,
    paths: str | Path | Sequence[str | Path],
    options: Options,
    progress: Progress | None = None,
) -> ImportReport:
    """Import files of relations; see `Store.import_relations`."""
    refuse_when_disabled()
    options = options.checked("relations")
    refuse_read_only(root)
    started = time.monotonic()
    began = datetime.now(UTC)
    files = opening.expand(paths)
    if options.rejects is not None:
        refuse_output(options.rejects, root, files)
    state = snapshots.snapshot(root)
    wanted, skipped = unseen(state, files, options, "relations")
    report = ImportReport(skipped=skipped, files=[str(f) for f in wanted], dry_run=options.dry_run)
    if wanted:
        staged: list[tuple[Connection, Stage]] = []

        def fresh(scratch: Path) -> Connection:
            connection = connect(scratch=scratch)
            overlay(connection, None, writing=True)
            staged[:] = [(connection, stage_relations(connection, wanted, options, progress))]
            return connection

        # read before the lock is taken, so that other writers go on meanwhile
        own = root / f".scratch-{uuid.uuid4().hex}"
        waiting: list[Connection] = []

        def opened(scratch: Path) -> Connection:
            return waiting.pop() if waiting else fresh(scratch)

        def decide(session: Session) -> ImportReport:
            return _Decision(session, staged[0][1], options, report, began).run()

        try:
            waiting.append(fresh(own))
            report = transact(root, decide, opened)
        finally:
            for source in staged[0][1].sources if staged else ():
                source.close()
            shutil.rmtree(own, ignore_errors=True)
    report.seconds = time.monotonic() - started
    return report


class _Decision:
    """One try at an import: the store's state and the staged rows make the answer."""

    def __init__(
        self,
        session: Session,
        stage: Stage,
        options: Options,
        report: ImportReport,
        began: datetime,
    ) -> None:
        self.session = session
        self.stage = stage
        self.options = options
        # each try counts anew
        self.report = replace(report, skipped=list(report.skipped))
        self.began = began
        self.connection = session.connection
        self.uids = [str(uuid.uuid4()) for _ in stage.sources]
        self.call_uid = str(uuid.uuid4())
        self.identity = options.identity("relations")
        self.left_out: set[int] = set()

    def run(self) -> ImportReport:
        """Decide, and write unless this is a dry run; `ImportAborted` where rows must not fail."""
        connection = self.connection
        self._settings()
        self._skip_seen()
        self._resolve()
        self._refuse(statement("writes/bad_moments.sql"), {"instant": self.session.instant})
        late = self._late() if self.options.trust_recorded_at else []
        connection.run("writes/contested.sql")
        if self.session.snapshot.tables["relations"].rows:
            connection.run("writes/contested_held.sql", exclusive=list(self.options.exclusive))
        connection.run("writes/batch_ops.sql")
        connection.run("writes/unknown_relations.sql")
        if self._drop_rejected():
            connection.run("writes/batch_ops.sql")
        outcomes = self._paint() + late
        self._finish(outcomes)
        return self.report

    def _settings(self) -> None:
        self.connection.run(
            "writes/staged.sql",
            instant=self.session.instant,
            scope=self.options.scope,
            exclusive=list(self.options.exclusive),
            base=self.session.snapshot.tables["relations"].highest("version") or 0,
        )
        self.connection.execute(
            "create or replace temp table batch_files (file_no integer, import_uid varchar)"
        )
        for number, uid in enumerate(self.uids):
            self.connection.execute("insert into batch_files values (?, ?)", [number, uid])

    def _skip_seen(self) -> None:
        """Leave out files that another writer imported while this one was reading."""
        if self.options.again:
            return
        known = seen_before(self.connection, self.identity)
        for number, source in enumerate(self.stage.sources):
            if source.sha256 in known:
                self.left_out.add(number)
                self.report.skipped.append(str(source.path))
                self.connection.execute("delete from stage where file_no = ?", [number])
        kept = [r.filter(~pl.col("file_no").is_in(self.left_out)) for r in self.stage.rejects]
        self.stage.rejects = [r for r in kept if r.height]

    def _resolve(self) -> None:
        """Match names and uids to the entities of the store; refuse what cannot be matched."""
        connection = self.connection
        plain = connection.scalar(
            "select count(*) = 0 from stage where subject_key is null or object_key is null"
        )
        if plain and not self.session.snapshot.tables["entities"].rows:
            return
        connection.run("writes/mentions.sql")
        self._drop_rejected()
        if connection.scalar("select count(*) from remapped"):
            connection.run("writes/remap.sql", exclusive=list(self.options.exclusive))
        self._refuse(statement("writes/same_entity.sql"))

    def _refuse(self, sql: str, params: Mapping[str, Any] | None = None) -> None:
        self.connection.execute(sql, params)
        self._drop_rejected()

    def _drop_rejected(self) -> bool:
        """Move the rows of `found_rejects` from the stage to the rejects."""
        rows = self.connection.rows(
            "select ord, arg_min(field, side), arg_min(reason, side), arg_min(value, side) "
            "from found_rejects group by ord order by ord"
        )
        if not rows:
            return False
        places = self.stage.locate([r[0] for r in rows])
        headers = [s.resolution.columns for s in self.stage.sources]
        self.stage.rejects.append(
            pl.DataFrame(
                {
                    "file_no": [p[0] for p in places],
                    "line": [-p[1] - 1 for p in places],
                    "column": [
                        headers[p[0]].get(r[1], r[1]) for p, r in zip(places, rows, strict=True)
                    ],
                    "reason": [r[2] for r in rows],
                    "value": [r[3] for r in rows],
                },
                schema_overrides={"file_no": pl.Int64, "line": pl.Int64, "value": pl.String},
            )
        )
        self.connection.execute("delete from stage where ord in (select ord from found_rejects)")
        self.connection.execute("delete from found_rejects")
        return True

    def _late(self) -> list[tuple[int, str, int]]:
        """Judge rows that are not later than what is held of their subject and predicate."""
        if not self.session.snapshot.tables["relations"].rows:
            return []
        connection = self.connection
        connection.run("writes/late.sql")
        connection.run("writes/late_rejects.sql")
        counts = connection.rows(
            "select s.file_no, l.verdict, count(*) from late as l join stage as s on s.ord = l.ord "
            "where l.ord not in (select ord from found_rejects) group by all"
        )
        connection.execute(
            "create or replace temp table told_before as "
            "select ord from late where ord not in (select ord from found_rejects)"
        )
        self._drop_rejected()
        connection.execute("delete from stage where ord in (select ord from told_before)")
        return [(int(f), str(v), int(n)) for f, v, n in counts]

    def _paint(self) -> list[tuple[int, str, int]]:
        """Run the sequenced write over the contested rows; count outcomes by file and status."""
        connection = self.connection
        connection.run("writes/held.sql")
        base = connection.scalar(
            "select base + coalesce((select max(ord) + 1 from stage "
            "where gh not in (select gh from contested)), 0) from batch_settings"
        )
        painting.paint(connection, base=base)
        counts = connection.rows(
            "select o.file_no, r.status, count(*) from outcomes as r "
            "join ops as o on o.ord = r.ord group by all"
        )
        fast = connection.rows(
            "select file_no, 'created', count(*) from stage "
            "where gh not in (select gh from contested) group by file_no"
        )
        return [(int(f), str(s), int(n)) for f, s, n in [*counts, *fast]]

    def _finish(self, outcomes: list[tuple[int, str, int]]) -> None:
        report, options = self.report, self.options
        rejects = gather(self.stage.rejects, self.stage.sources)
        report.rejects = rejects
        if options.rejects is not None:
            write_rejects(rejects, options.rejects)
        report.ignored_columns = list(self.stage.ignored)
        report.lost_digits = self.stage.lost_digits
        if rejects.height and options.on_error == "abort":
            raise abort(rejects)
        rows = self._import_rows(outcomes)
        for row in rows:
            for name in ("rows", *STATUSES, "rejected"):
                setattr(report, name, getattr(report, name) + row[name])
        self._implied_types()
        self.connection.run(
            "writes/new_entities.sql",
            default_type=names.DEFAULT_TYPE,
            instant=self.session.instant,
        )
        if self.stage.present & {"subject_type", "object_type"}:
            report.type_conflicts = self.connection.named("reads/type_conflicts.sql").to_pylist()[
                0
            ]["n"]
        if not options.dry_run:
            self._write(rows)

    def _implied_types(self) -> None:
        """Hand the types that predicates imply to the engine; `names` is where they are kept."""
        self.connection.execute(
            "create or replace temp table implied_types "
            "(predicate varchar, subject_type varchar, object_type varchar)"
        )
        for predicate, (subject_type, object_type) in names.IMPLIED.items():
            self.connection.execute(
                "insert into implied_types values (?, ?, ?)", [predicate, subject_type, object_type]
            )

    def _import_rows(self, outcomes: list[tuple[int, str, int]]) -> list[dict[str, Any]]:
        """Return one row of `imports` per file."""
        by_file: dict[int, dict[str, int]] = {}
        for file_no, status, number in outcomes:
            counts = by_file.setdefault(file_no, {})
            name = _COUNTED.get(status, status)
            counts[name] = counts.get(name, 0) + number
        refused: dict[int, int] = {}
        for frame in self.stage.rejects:
            for file_no, number in frame.group_by("file_no").len().rows():
                refused[file_no] = refused.get(file_no, 0) + number
        for file_no, number in refused.items():
            by_file.setdefault(file_no, {})["rejected"] = number
        return [
            import_row(
                source,
                self.identity,
                by_file.get(number, {}),
                kind="relations",
                uids=(self.uids[number], self.call_uid),
                times=(self.began, self.session.instant),
            )
            for number, source in enumerate(self.stage.sources)
            if number not in self.left_out
        ]

    def _write(self, rows: list[dict[str, Any]]) -> None:
        """Entities first, then all relations in one commit with the import rows, then those."""
        session = self.session
        session.append("entities", "select * from new_entities")
        fast = statement("writes/fast_relations.sql").strip()
        slow = statement("writes/relations_out.sql").strip()
        contested = self.connection.scalar("select count(*) from numbered")
        query = f"{fast} union all select * from ({slow})" if contested else fast
        session.append("relations", query, {IMPORTS_KEY: json.dumps(rows)})
        append_imports(session, rows)
