"""Import of relays: stage the files, judge each row against what is held, append the new ones."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from mazarbul_analytics.cells import relays as relay_cells
from mazarbul_analytics.engine.connection import Connection, connect, overlay
from mazarbul_analytics.engine.sqlfiles import statement
from mazarbul_analytics.files import opening
from mazarbul_analytics.files.outputs import refuse_output, refuse_read_only
from mazarbul_analytics.files.recordfiles import RecordFiles, is_record_files
from mazarbul_analytics.files.sources import Source
from mazarbul_analytics.imports.flow import Options, abort, import_row, seen_before, unseen
from mazarbul_analytics.imports.rejects import COLUMNS, gather, write_rejects
from mazarbul_analytics.imports.staging import REJECTS, Progress
from mazarbul_analytics.rules.relayids import IdForm
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.writing.session import (
    IMPORTS_KEY,
    Session,
    append_imports,
    refuse_when_disabled,
    transact,
)

__all__ = ["RelayReport", "import_relays"]

BATCH_ROWS = 250_000

_STAGE = """
create or replace temp table relay_stage (
    ord bigint, file_no integer, relay_id varchar, record blob, sha256 varchar, sender varchar,
    recipients varchar, parent varchar, parent_sha256 varchar, refs varchar[], kind varchar,
    provenance varchar, deposited_by varchar, deposited_at timestamptz
)
"""
_INTO_STAGE = """
insert into relay_stage
select row + $first, $file_no, relay_id, record, sha256(record), sender, recipients, parent,
    parent_sha256, refs, kind, provenance, deposited_by, deposited_at
from batch
"""
_JUDGED_REJECTS = """
select s.file_no, s.ord, 'deposited_at', 'future_recorded_at',
    strftime(s.deposited_at, '%Y-%m-%dT%H:%M:%S.%fZ')
from relay_stage as s where s.ord in (select ord from relay_future)
union all
select file_no, ord, differs, 'relay_conflict', 'held sha256 ' || held || ', given ' || given
from relay_judged where differs is not null
order by 2
"""
_COUNTS = """
select file_no, 'duplicates', count(*) from relay_judged where differs is null group by file_no
union all
select file_no, 'created', count(*) from relay_stage
where ord in (select ord from relay_first_rows) and ord not in (select ord from relay_judged)
group by file_no
"""


@dataclass
class RelayReport:
    """What an import of relays did: created, duplicates and rejected add up to `rows`.

    `duplicates` were held already with the same bytes. `rejects` is a Polars frame: file, line,
    column, reason, value; the value of a `relay_conflict` tells both sha256. `skipped` lists files
    that were imported before, `ignored_files` what in a folder is no `.txt` file.
    """

    rows: int = 0
    created: int = 0
    duplicates: int = 0
    rejected: int = 0
    rejects: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COLUMNS))
    skipped: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    ignored_columns: list[str] = field(default_factory=list)
    ignored_files: list[str] = field(default_factory=list)
    seconds: float = 0.0
    dry_run: bool = False


def import_relays(
    root: Path, paths: object, options: Options, progress: Progress | None = None
) -> RelayReport:
    """Import folders of records and files of relays; see `Relays.import_`."""
    refuse_when_disabled()
    refuse_read_only(root)
    options = options.checked("relays")
    started = time.monotonic()
    began = datetime.now(UTC)
    state = snapshots.snapshot(root)
    files = _expand(paths)
    if options.rejects is not None:
        refuse_output(options.rejects, root, files)
    wanted, skipped = unseen(state, [f for f in files if not is_record_files(f)], options, "relays")
    files = [f for f in files if is_record_files(f) or f in wanted]
    report = RelayReport(skipped=skipped, files=[str(f) for f in files], dry_run=options.dry_run)
    if files:
        form = IdForm.of(state.tables["relays"].settings)
        staged: list[_Stage] = []

        def fresh(scratch: Path) -> Connection:
            connection = connect(scratch=scratch)
            overlay(connection, None, writing=True)
            staged[:] = [_Stage(connection, files, options, form, progress)]
            return connection

        waiting = [fresh(root / f".scratch-{uuid.uuid4().hex}")]

        def opened(scratch: Path) -> Connection:
            return waiting.pop() if waiting else fresh(scratch)

        def decide(session: Session) -> None:
            _decide(session, staged[0], options, report, began)

        transact(root, decide, opened)
    report.seconds = time.monotonic() - started
    return report


def _expand(paths: object) -> list[Path]:
    """Return folders as they are, and the files that the other names and globs mean."""
    given = [paths] if isinstance(paths, (str, Path)) else list(_iterable(paths))
    files: list[Path] = []
    for one in given:
        path = Path(one)
        for found in [path] if path.is_dir() else opening.expand(one):
            if found not in files:
                files.append(found)
    return files


def _iterable(paths: object) -> Iterable[str | Path]:
    if not isinstance(paths, Iterable):
        raise TypeError(f"no path and no list of paths: {paths!r}")
    return paths


class _Stage:
    """The rows of all files in the table `relay_stage`, and what was refused in reading."""

    def __init__(
        self,
        connection: Connection,
        files: Sequence[Path],
        options: Options,
        form: IdForm,
        progress: Progress | None,
    ) -> None:
        self.sources: list[Source] = []
        self.bases: list[int] = []
        self.rejects: list[pl.DataFrame] = []
        self.ignored: dict[str, None] = {}
        self.ignored_files: list[str] = []
        connection.execute(_STAGE)
        for path in files:
            self.sources.append(_opened(path, options))
        total = sum(s.size for s in self.sources)
        done = base = 0
        for number, source in enumerate(self.sources):
            self.bases.append(base)
            self._note(source, options)
            for frame in source.batches(BATCH_ROWS):
                self._take(
                    connection, number, frame, base + source.rows - frame.height, options, form
                )
                if progress is not None:
                    progress(done + min(source.bytes_read, source.size), total)
            self._refuse(number, source.rejects())
            base += source.rows
            done += source.size
        if progress is not None:
            progress(total, total)

    def _note(self, source: Source, options: Options) -> None:
        self.ignored.update(dict.fromkeys(source.resolution.ignored))
        untrusted = source.resolution.columns.get("deposited_at")
        if untrusted is not None and not options.trust_recorded_at:
            self.ignored[untrusted] = None
        if isinstance(source, RecordFiles):
            self.ignored_files += source.passed_over

    def _take(
        self,
        connection: Connection,
        number: int,
        frame: pl.DataFrame,
        first: int,
        options: Options,
        form: IdForm,
    ) -> None:
        columns = {
            name: header
            for name, header in self.sources[number].resolution.columns.items()
            if name != "deposited_at" or options.trust_recorded_at
        }
        rows = relay_cells.normalize(frame, mapping=columns, form=form, timezone=options.timezone)
        good, bad = relay_cells.check(rows)
        self._refuse(
            number, bad.with_columns(line=-1 - (pl.col("row") + first - self.bases[number]))
        )
        connection.raw.register("batch", good.to_arrow())
        try:
            connection.execute(_INTO_STAGE, {"first": first, "file_no": number})
        finally:
            connection.raw.unregister("batch")

    def _refuse(self, number: int, rejects: pl.DataFrame) -> None:
        if rejects.height:
            self.rejects.append(
                rejects.with_columns(file_no=pl.lit(number, pl.Int64)).select(list(REJECTS))
            )

    def gather(self, more: pl.DataFrame, left_out: Sequence[int]) -> list[pl.DataFrame]:
        """Return the rejects of each file, with their lines; none of a file that is left out."""
        answer = []
        for number, source in enumerate(self.sources):
            found = [f.filter(pl.col("file_no") == number) for f in (*self.rejects, more)]
            found = [f for f in found if f.height and number not in left_out]
            rejects = gather(found, self.sources)
            if isinstance(source, RecordFiles) and rejects.height:
                rejects = source.named(rejects)
            answer.append(rejects)
        return answer


def _opened(path: Path, options: Options) -> Source:
    if is_record_files(path):
        return RecordFiles(path)
    return opening.open_source(
        path,
        kind="relays",
        mapping=options.mapping,
        encoding=options.encoding,
        delimiter=options.delimiter,
    )


def _decide(
    session: Session, stage: _Stage, options: Options, report: RelayReport, began: datetime
) -> None:
    """Judge what is staged and write it; raise `ImportAborted` where a row fails that must not."""
    connection = session.connection
    identity = options.identity("relays")
    left_out = _leave_out(connection, stage, options, identity, report)
    connection.run("writes/decide_relays.sql", instant=session.instant)
    by_file = stage.gather(_judged(connection, stage), left_out)
    report.rejects = pl.concat(by_file)
    report.ignored_columns = list(stage.ignored)
    report.ignored_files = stage.ignored_files
    if options.rejects is not None:
        write_rejects(report.rejects, options.rejects)
    if report.rejects.height and options.on_error == "abort":
        raise abort(report.rejects)
    counts: dict[int, dict[str, int]] = {}
    for number, name, count in connection.rows(_COUNTS):
        counts.setdefault(number, {})[name] = count
    call_uid = str(uuid.uuid4())
    told: list[dict[str, object]] = []
    connection.execute(
        "create or replace temp table relay_files "
        "(file_no integer, import_uid varchar, instant timestamptz)"
    )
    for number, source in enumerate(stage.sources):
        if number in left_out:
            continue
        row = import_row(
            source,
            identity,
            {**counts.get(number, {}), "rejected": by_file[number].height},
            kind="relays",
            uids=(str(uuid.uuid4()), call_uid),
            times=(began, session.instant),
        )
        told.append(row)
        connection.execute(
            "insert into relay_files values (?, ?, ?)",
            [number, row["import_uid"], session.instant],
        )
    report.created = sum(c.get("created", 0) for c in counts.values())
    report.duplicates = sum(c.get("duplicates", 0) for c in counts.values())
    report.rejected = report.rejects.height
    report.rows = report.created + report.duplicates + report.rejected
    if options.dry_run or not told:
        return
    session.append("relays", statement("writes/new_relays.sql"), {IMPORTS_KEY: json.dumps(told)})
    append_imports(session, told)


def _leave_out(
    connection: Connection, stage: _Stage, options: Options, identity: str, report: RelayReport
) -> list[int]:
    """Leave out tables that another writer imported while this one was reading."""
    if options.again:
        return []
    seen = seen_before(connection, identity)
    left_out = [
        number
        for number, source in enumerate(stage.sources)
        if source.sha256 in seen and not isinstance(source, RecordFiles)
    ]
    for number in left_out:
        report.skipped.append(str(stage.sources[number].path))
        connection.execute("delete from relay_stage where file_no = ?", [number])
    return left_out


def _judged(connection: Connection, stage: _Stage) -> pl.DataFrame:
    """Return the rejects that only the store and the other rows could tell."""
    rows = []
    for number, order, name, reason, value in connection.rows(_JUDGED_REJECTS):
        columns = stage.sources[number].resolution.columns
        header = columns.get(name) or columns.get("body" if name == "record" else name, name)
        rows.append((number, -1 - (order - stage.bases[number]), header, reason, value))
    return pl.DataFrame(rows, schema=REJECTS, orient="row")
