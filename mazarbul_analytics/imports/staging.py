"""Stage the rows of an import: files to checked frames to one table of the engine, in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from mazarbul_analytics.cells import frames
from mazarbul_analytics.engine.connection import Connection
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.files import opening
from mazarbul_analytics.files.sources import aborted
from mazarbul_analytics.imports.flow import Options
from mazarbul_analytics.rules import names

__all__ = ["REJECTS", "Stage", "stage_relations"]

BATCH_ROWS = 500_000

Progress = Callable[[int, int], None]

# canonical columns that a file may lack: their column in `stage`, its type, how a batch fills it
_OPTIONAL = {
    "subject_type": ("subject_type", "varchar", "subject_type"),
    "object_type": ("object_type", "varchar", "object_type"),
    "attributes": ("attributes", "varchar", "attributes"),
    "valid_from": (
        "valid_from",
        "timestamptz",
        "case when always then cast('-infinity' as timestamptz) else valid_from end",
    ),
    "valid_to": ("valid_to", "timestamptz", "valid_to"),
    "scope": ("scope", "varchar", "scope"),
    "source_event_uid": ("event", "varchar", "source_event_uid"),
    "recorded_at": ("rec", "timestamptz", "recorded_at"),
    "op": ("kind", "varchar", "op"),
}

REJECTS = {
    "file_no": pl.Int64,
    "line": pl.Int64,
    "column": pl.String,
    "reason": pl.String,
    "value": pl.String,
}


@dataclass
class Stage:
    """What is staged: the sources in order, where their rows begin, and what was refused so far.

    `stage` in the connection holds the good rows, each numbered `ord` = the file's base + its row.
    """

    sources: list[opening.Source] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    rejects: list[pl.DataFrame] = field(default_factory=list)
    ignored: dict[str, None] = field(default_factory=dict)
    lost_digits: int = 0
    present: set[str] = field(default_factory=set)

    @property
    def rows(self) -> list[int]:
        """The rows of each file that its reader could read."""
        return [s.rows for s in self.sources]

    def locate(self, ords: Sequence[int]) -> list[tuple[int, int]]:
        """Return `(file_no, row)` of staged rows."""
        found = []
        for number in ords:
            file_no = max(i for i, base in enumerate(self.bases) if base <= number)
            found.append((file_no, number - self.bases[file_no]))
        return found


def stage_relations(
    connection: Connection, paths: Sequence[Path], options: Options, progress: Progress | None
) -> Stage:
    """Read files into the table `stage`; rows that fail a rule of their own are kept aside.

    Raises `ImportAborted` for a file whose table cannot be told.
    """
    stage = Stage()
    sources = [
        opening.open_source(
            path,
            kind="relations",
            mapping=options.mapping,
            encoding=options.encoding,
            delimiter=options.delimiter,
        )
        for path in paths
    ]
    for source in sources:
        stage.present |= source.resolution.columns.keys()
        stage.ignored.update(dict.fromkeys(source.resolution.ignored))
        if not options.trust_recorded_at and "recorded_at" in source.resolution.columns:
            stage.ignored[source.resolution.columns["recorded_at"]] = None
    if not options.trust_recorded_at:
        stage.present.discard("recorded_at")
    _create(connection, stage.present)
    total = sum(s.size for s in sources)
    done = 0
    base = 0
    for file_no, source in enumerate(sources):
        stage.sources.append(source)
        stage.bases.append(base)
        first = 0
        for frame in _ahead(source.batches(BATCH_ROWS)):
            try:
                _stage_batch(connection, stage, source, frame, file_no, base, first, options)
            except InvalidValue as error:  # a column of a type that holds no such thing
                raise aborted(source.path, str(error)) from error
            first += frame.height
            if progress is not None:
                progress(done + min(source.bytes_read, source.size), total)
        rejects = source.rejects()
        if rejects.height:
            stage.rejects.append(
                rejects.with_columns(file_no=pl.lit(file_no, pl.Int64)).select(list(REJECTS))
            )
        done += source.size
        base += source.rows
        if progress is not None:
            progress(done, total)
    return stage


def _ahead(frames_: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Read the next batch in a thread of its own while this one is worked on."""
    with ThreadPoolExecutor(max_workers=1) as reader:
        waiting = reader.submit(next, frames_, None)
        while (frame := waiting.result()) is not None:
            waiting = reader.submit(next, frames_, None)
            yield frame


def _create(connection: Connection, present: set[str]) -> None:
    """Create `stage` with the columns that any file has, and the view `stage_rows` with all."""
    kept = [c for key, c in _OPTIONAL.items() if key in present]
    columns = "".join(f", {name} {kind}" for name, kind, _ in kept)
    connection.execute(
        "create or replace table stage (ord bigint, file_no integer, gh ubigint, su uuid, ou uuid, "
        f"subject varchar, subject_key varchar, predicate varchar, object varchar, "
        f"object_key varchar{columns})"
    )
    absent = [c for key, c in _OPTIONAL.items() if key not in present]
    nulls = "".join(f", cast(null as {kind}) as {name}" for name, kind, _ in absent)
    connection.execute(f"create or replace view stage_rows as select *{nulls} from stage")


def _stage_batch(
    connection: Connection,
    stage: Stage,
    source: opening.Source,
    frame: pl.DataFrame,
    file_no: int,
    base: int,
    first: int,
    options: Options,
) -> None:
    columns = source.resolution.columns
    known = {k: v for k, v in columns.items() if k != "recorded_at" or options.trust_recorded_at}
    frame = frame.select(list(known.values()))
    stage.lost_digits += frames.lost_digits(frame, mapping=known)
    checked = frames.normalize(frame, mapping=known, timezone=options.timezone, scope=options.scope)
    good, bad = frames.check(checked)
    if bad.height:
        rows = (bad["row"] + first).to_list()
        stage.rejects.append(
            bad.with_columns(
                file_no=pl.lit(file_no, pl.Int64),
                line=pl.Series(rows, dtype=pl.Int64) * -1 - 1,
            ).select(list(REJECTS))
        )
    kept = [c for key, c in _OPTIONAL.items() if key in stage.present]
    names_ = "".join(f", {c[0]}" for c in kept)
    values = "".join(f", {c[2]}" for c in kept)
    connection.raw.register("batch", good.to_arrow())
    try:
        connection.execute(
            "insert into stage (ord, file_no, gh, su, ou, subject, subject_key, predicate, object, "
            f"object_key{names_}) "
            "select ord, $file_no, group_hash(scope, su, predicate, ou, "
            "list_contains($exclusive, predicate)), "
            f"su, ou, subject, subject_key, predicate, object, object_key{values} "
            "from (select *, row + $first as ord, "
            "coalesce(cast(subject_uid as uuid), entity_uid_of(subject_key)) as su, "
            "coalesce(cast(object_uid as uuid), entity_uid_of(object_key)) as ou from batch)",
            {
                "file_no": file_no,
                "first": base + first,
                "exclusive": [names.predicate(p) for p in options.exclusive],
            },
        )
    finally:
        connection.raw.unregister("batch")
