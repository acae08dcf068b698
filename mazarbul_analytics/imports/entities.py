"""Import of entities: stage the files, judge each row in file order, append the new ones."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from mazarbul_analytics.cells import frames
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.files import opening
from mazarbul_analytics.files.outputs import refuse_output, refuse_read_only
from mazarbul_analytics.files.sources import Source
from mazarbul_analytics.imports.flow import Options, abort, import_row, seen_before, unseen
from mazarbul_analytics.imports.rejects import COLUMNS, gather, write_rejects
from mazarbul_analytics.rules import names
from mazarbul_analytics.tables import snapshots
from mazarbul_analytics.writing.session import (
    IMPORTS_KEY,
    Session,
    append_imports,
    refuse_when_disabled,
    transact,
)

__all__ = ["EntityReport", "import_entities"]


@dataclass
class EntityReport:
    """What an import of entities did: created, duplicates and rejected add up to `rows`."""

    rows: int = 0
    created: int = 0
    duplicates: int = 0
    rejected: int = 0
    rejects: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COLUMNS))
    skipped: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    ignored_columns: list[str] = field(default_factory=list)
    seconds: float = 0.0
    dry_run: bool = False


def import_entities(
    root: Path, paths: str | Path | Sequence[str | Path], options: Options
) -> EntityReport:
    """Import files of entities; see `Store.import_entities`."""
    refuse_when_disabled()
    options = options.checked("entities")
    refuse_read_only(root)
    started = time.monotonic()
    began = datetime.now(UTC)
    files = opening.expand(paths)
    if options.rejects is not None:
        refuse_output(options.rejects, root, files)
    wanted, skipped = unseen(snapshots.snapshot(root), files, options, "entities")
    report = EntityReport(skipped=skipped, files=[str(f) for f in wanted], dry_run=options.dry_run)
    if wanted:
        sources = [
            opening.open_source(
                path,
                kind="entities",
                mapping=options.mapping,
                encoding=options.encoding,
                delimiter=options.delimiter,
            )
            for path in wanted
        ]
        staged, refused, bases = _read(sources)

        def decide(session: Session) -> None:
            _decide(session, sources, staged, list(refused), bases, options, report, began)

        transact(root, decide)
        for source in sources:
            source.close()
            report.ignored_columns += [
                c for c in source.resolution.ignored if c not in report.ignored_columns
            ]
    report.seconds = time.monotonic() - started
    return report


def _read(
    sources: Sequence[Source],
) -> tuple[pl.DataFrame, list[pl.DataFrame], list[int]]:
    """Return the good rows of all files, the rejects of each, and where each file's rows begin."""
    good: list[pl.DataFrame] = []
    refused: list[pl.DataFrame] = []
    bases: list[int] = []
    base = 0
    for file_no, source in enumerate(sources):
        bases.append(base)
        columns = source.resolution.columns
        for frame in source.batches():
            first = source.rows - frame.height
            kept, bad = frames.check(
                frames.normalize_entities(frame.select(list(columns.values())), mapping=columns)
            )
            good.append(
                kept.with_columns(
                    ord=pl.col("row") + base + first, file_no=pl.lit(file_no, pl.Int64)
                ).drop("row")
            )
            refused.append(_rejected(bad, bad["row"] + first, file_no))
        refused.append(source.rejects().with_columns(file_no=pl.lit(file_no, pl.Int64)))
        base += source.rows
    return pl.concat(good), [r.select(list(_REJECTS)) for r in refused if r.height], bases


_REJECTS = ("file_no", "line", "column", "reason", "value")


def _rejected(frame: pl.DataFrame, rows: pl.Series, file_no: int) -> pl.DataFrame:
    """Return rejects whose line is still to be found: -1 - row of the file."""
    return frame.with_columns(
        file_no=pl.lit(file_no, pl.Int64), line=(-1 - rows).cast(pl.Int64)
    ).select(list(_REJECTS))


def _decide(
    session: Session,
    sources: Sequence[Source],
    staged: pl.DataFrame,
    refused: list[pl.DataFrame],
    bases: Sequence[int],
    options: Options,
    report: EntityReport,
    began: datetime,
) -> None:
    connection = session.connection
    identity = options.identity("entities")
    seen = {} if options.again else seen_before(connection, identity)
    left_out = [n for n, s in enumerate(sources) if s.sha256 in seen]
    late = [str(sources[n].path) for n in left_out]
    report.skipped += [p for p in late if p not in report.skipped]
    connection.raw.register(
        "entity_stage", staged.filter(~pl.col("file_no").is_in(left_out)).to_arrow()
    )
    connection.run("writes/decide_entities.sql", default_type=names.DEFAULT_TYPE)
    refused += _judged_rejects(connection, sources, bases)
    rejects = gather([r for r in refused if r.height], sources).filter(
        ~pl.col("file").is_in([str(sources[n].path) for n in left_out])
    )
    report.rejects = rejects
    if options.rejects is not None:
        write_rejects(rejects, options.rejects)
    if rejects.height and options.on_error == "abort":
        raise abort(rejects)
    rows, counts = _counted(connection, sources, rejects, left_out, identity, (began, session))
    report.created = counts.get("created", 0)
    report.duplicates = counts.get("duplicates", 0)
    report.rejected = rejects.height
    report.rows = report.created + report.duplicates + report.rejected
    if options.dry_run:
        return
    connection.execute(
        "create or replace temp table import_uids (file_no bigint, import_uid varchar)"
    )
    for file_no, row in rows.items():
        connection.execute("insert into import_uids values (?, ?)", [file_no, row["import_uid"]])
    connection.run("writes/made_entities.sql", instant=session.instant)
    told = list(rows.values())
    session.append("entities", "select * from made_entities", {IMPORTS_KEY: json.dumps(told)})
    append_imports(session, told)


def _judged_rejects(
    connection: Connection, sources: Sequence[Source], bases: Sequence[int]
) -> list[pl.DataFrame]:
    rows = connection.rows(
        "select j.ord, s.file_no, j.field, j.verdict, "
        "case j.field when 'type' then s.type else s.name end "
        "from judged as j join entity_stage as s on s.ord = j.ord "
        "where j.verdict not in ('created', 'duplicate') order by j.ord"
    )
    if not rows:
        return []
    return [
        pl.DataFrame(
            {
                "file_no": [r[1] for r in rows],
                "line": [-1 - (r[0] - bases[r[1]]) for r in rows],
                "column": [sources[r[1]].resolution.columns.get(r[2], r[2]) for r in rows],
                "reason": [r[3] for r in rows],
                "value": [r[4] for r in rows],
            }
        )
    ]


def _counted(
    connection: Connection,
    sources: Sequence[Source],
    rejects: pl.DataFrame,
    left_out: Sequence[int],
    identity: str,
    when: tuple[datetime, Session],
) -> tuple[dict[int, dict[str, object]], dict[str, int]]:
    """Return the row of `imports` of each file, and the counts of all."""
    names_of = {"created": "created", "duplicate": "duplicates"}
    by_file: dict[int, dict[str, int]] = {}
    total: dict[str, int] = {}
    for file_no, verdict, number in connection.rows(
        "select s.file_no, j.verdict, count(*) from judged as j "
        "join entity_stage as s on s.ord = j.ord "
        "where j.verdict in ('created', 'duplicate') group by all"
    ):
        by_file.setdefault(file_no, {})[names_of[verdict]] = number
        total[names_of[verdict]] = total.get(names_of[verdict], 0) + number
    call_uid = str(uuid.uuid4())
    found: dict[int, dict[str, object]] = {}
    for file_no, source in enumerate(sources):
        if file_no in left_out:
            continue
        rejected = rejects.filter(pl.col("file") == str(source.path)).height
        found[file_no] = import_row(
            source,
            identity,
            {**by_file.get(file_no, {}), "rejected": rejected},
            kind="entities",
            uids=(str(uuid.uuid4()), call_uid),
            times=(when[0], when[1].instant),
        )
    return found, total
