"""Files of relations, entities or relays, opened by what they hold: CSV, JSON lines, Parquet.

Each gives batches of rows as frames; rows that the reader refuses are named by line, and a file
whose table cannot be told is one error (`ImportAborted`).
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from mazarbul_analytics.files.csvfile import CsvSource
from mazarbul_analytics.files.jsonlines import JsonLinesSource
from mazarbul_analytics.files.parquet import ParquetSource
from mazarbul_analytics.files.sources import REJECTS_SCHEMA, Source, aborted, rejects_frame
from mazarbul_analytics.files.text import TextFile, open_text

__all__ = ["REJECTS_SCHEMA", "Source", "expand", "open_source", "rejects_frame"]

_PACKED = {".gz", ".zst"}
_JSON = {".jsonl", ".ndjson", ".json"}
_PARQUET = {".parquet", ".pq"}
_TEXT = {".csv", ".tsv", *_JSON}
_MAGIC = b"PAR1"


def expand(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the files that `paths` name, in the order given, those of a glob sorted by name.

    A name that exists is itself, even when it holds `[`, `*` or `?`. Raises `ImportAborted` for a
    name that matches nothing, and for a folder.
    """
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    files: list[Path] = []
    for one in given:
        path = Path(one)
        if path.exists():
            found = [path]
        elif re.search(r"[\[*?]", str(one)):
            matches = (Path(name) for name in glob.glob(str(one), recursive=True))  # noqa: PTH207
            found = sorted(match for match in matches if match.is_file())
        else:
            raise aborted(path, "no such file")
        if not found:
            raise aborted(path, "matches no file")
        for name in found:
            if name.is_dir():
                raise aborted(name, "a folder; name its files, for example with a glob")
            if name not in files:
                files.append(name)
    return files


def open_source(
    path: str | Path,
    *,
    kind: str = "relations",
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Source:
    """Open one file as rows of `kind` (`relations`, `entities` or `relays`).

    Parquet is told by its name or its first bytes, JSON lines by the name (`.jsonl`,
    `.ndjson`, `.json`) or a first `{`, the rest is CSV; each but Parquet also as `.gz` or `.zst`.
    `encoding` and `delimiter` hold for text. Raises `ImportAborted` when the table cannot be told.
    """
    file = Path(path)
    names = [suffix.lower() for suffix in file.suffixes[-2:]]
    suffix = names[-1] if names else ""
    try:
        if suffix in _PARQUET or (suffix not in _TEXT and _is_parquet(file)):
            return ParquetSource(file, kind, mapping)
        text = open_text(file, encoding)
    except OSError as error:
        raise aborted(file, error.strerror or str(error)) from error
    if suffix in _PACKED:
        suffix = names[-2] if len(names) > 1 else ""
    if suffix in _PARQUET:
        text.close()
        raise aborted(file, "a packed Parquet file; unpack it (Parquet is compressed inside)")
    try:
        if suffix in _JSON or (suffix not in _TEXT and _begins_object(text)):
            return JsonLinesSource(text, kind, mapping)
        return CsvSource(text, kind, mapping, delimiter)
    except BaseException:
        text.close()
        raise


def _is_parquet(path: Path) -> bool:
    if not path.is_file():  # a pipe gives its first bytes only once
        return False
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def _begins_object(text: TextFile) -> bool:
    with text.path.open("rb") as stream:
        return stream.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
