"""Text files as plain UTF-8 on disk: decompressed, transcoded, hashed, their line ends counted.

A plain UTF-8 file is read where it lies. Anything else (gzip, zstd, UTF-16 with a byte order mark,
an `--encoding`, a pipe) is first copied as UTF-8 into a temporary file, so that every later pass
sees one kind of file.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import hashlib
import io
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa

from mazarbul_analytics.errors import InvalidValue, StoreError
from mazarbul_analytics.files.sources import aborted

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

__all__ = [
    "BOM",
    "CHUNK",
    "LineEnds",
    "TextFile",
    "hash_and_count",
    "line_ends",
    "open_text",
    "spool",
]

CHUNK = 1 << 20
BOM = codecs.BOM_UTF8
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# UTF-32 first: its little-endian mark begins like that of UTF-16
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class TextFile:
    """A text file given by the user: `origin`, its `size` and `sha256`, and `path`, the UTF-8 text.

    `path` is `origin` itself or a temporary file, which `close` (or the garbage collector) removes.
    """

    def __init__(self, origin: Path, path: Path, size: int, sha256: str) -> None:
        self.origin = origin
        self.path = path
        self.size = size
        self.sha256 = sha256
        self._temporary = [] if path == origin else [path]
        self._finalizer = weakref.finalize(self, _remove, self._temporary)

    def move_to(self, path: Path) -> None:
        """Go on with another temporary copy of the text."""
        _remove(self._temporary)
        self._temporary.append(path)
        self.path = path

    def close(self) -> None:
        """Remove the temporary file, if there is one."""
        self._finalizer()


@dataclass(frozen=True)
class LineEnds:
    r"""How many `\n`, `\r` and `\r\n` a text has; whether it ends in `\n`; whether it has `"`."""

    lf: int
    cr: int
    crlf: int
    ends_in_lf: bool
    quotes: bool

    @property
    def lines(self) -> int:
        r"""The number of lines that end in `\n`, and of a last one without it."""
        return self.lf + (not self.ends_in_lf)


def line_ends(path: Path, *, start: int = 0) -> LineEnds:
    """Count the line ends of the file from byte `start` on."""
    lf = cr = crlf = 0
    last = b"\n"
    quotes = False
    with path.open("rb") as stream:
        stream.seek(start)
        while chunk := stream.read(CHUNK):
            lf += chunk.count(b"\n")
            if b"\r" in chunk:
                cr += chunk.count(b"\r")
                crlf += chunk.count(b"\r\n")
            if last == b"\r" and chunk[:1] == b"\n":
                crlf += 1
            quotes = quotes or b'"' in chunk
            last = chunk[-1:]
    return LineEnds(lf, cr, crlf, last == b"\n", quotes)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file's bytes as 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def open_text(path: Path, encoding: str | None = None) -> TextFile:
    """Make the text of `path` readable as UTF-8.

    `encoding` is any text codec of Python; without it UTF-8, or UTF-16 or UTF-32 with a byte order
    mark. gzip and zstd are told by the file's first bytes. Raises `ImportAborted` when the file is
    damaged or not of its encoding, `InvalidValue` when there is no such codec.
    """
    codec = _codec(encoding) if encoding else None
    with path.open("rb") as raw:
        packing = _packing(path, raw) if raw.seekable() else ""
        if raw.seekable() and not packing:
            codec = codec or _marked(raw.read(4))
            if codec is None:
                return TextFile(path, path, path.stat().st_size, "")
            raw.seek(0)
        hashed = _Hashing(raw)
        stream = cast("BinaryIO", io.BufferedReader(hashed, CHUNK))
        with spool() as (copy, out):
            try:
                unpacked = _unpacked(stream, packing)  # closes `stream` when it goes
                _transcode(unpacked, codec, out)
                while stream.read(CHUNK):  # the hash is over every byte
                    pass
            except (EOFError, zlib.error, gzip.BadGzipFile, pa.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno:
                    raise
                msg = f"damaged or cut {packing} file ({error}); nothing of it was read"
                raise aborted(path, msg) from error
            except UnicodeError as error:
                msg = f"not readable as {codec or 'UTF-8'} ({error}); give its --encoding"
                raise aborted(path, msg) from error
    return TextFile(path, copy, hashed.size, hashed.digest.hexdigest())


def hash_and_count(text: TextFile) -> LineEnds:
    """Fill in `text.sha256` if need be, and count the line ends while a thread hashes."""
    if text.sha256:
        return line_ends(text.path)
    with ThreadPoolExecutor(1) as pool:
        digest = pool.submit(sha256_of, text.origin)
        ends = line_ends(text.path)
        text.sha256 = digest.result()
    return ends


@contextlib.contextmanager
def spool() -> Iterator[tuple[Path, BinaryIO]]:
    """Give a new temporary file: its path, and a stream to fill it. Removed when that fails."""
    handle, name = tempfile.mkstemp(prefix="mazarbul-", suffix=".txt")
    try:
        with os.fdopen(handle, "wb") as out:
            yield Path(name), out
    except BaseException as error:
        _remove([Path(name)])
        if isinstance(error, OSError):
            msg = f"the temporary copy {name} failed: {error}; TMPDIR chooses another folder"
            raise StoreError(msg) from error
        raise


class _Hashing(io.RawIOBase):
    """A reader that hashes and counts what passes through it."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        self.raw = raw
        self.digest = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        with memoryview(buffer) as view:
            data = self.raw.read(len(view))
            view[: len(data)] = data
        self.digest.update(data)
        self.size += len(data)
        return len(data)


def _codec(encoding: str) -> str | None:
    try:
        " ".encode(encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, UnicodeError) as error:
        msg = f"unknown encoding {encoding!r}: give a codec's name, like utf-16, latin-1 or cp1252"
        raise InvalidValue(msg, value=encoding, reason="unknown_encoding") from error
    # bad bytes of UTF-8 are refused row by row, which needs them untouched
    return None if name in {"utf-8", "utf-8-sig", "ascii"} else name


def _marked(head: bytes) -> str | None:
    return next((codec for mark, codec in _MARKS if head.startswith(mark)), None)


def _packing(path: Path, raw: BinaryIO) -> str:
    head = raw.read(4)
    raw.seek(0)
    by_name = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower(), "")
    by_magic = "gzip" if head.startswith(GZIP_MAGIC) else "zstd" if head == ZSTD_MAGIC else ""
    if by_name and head and by_name != by_magic:
        raise aborted(path, f"named {path.suffix}, but not a {by_name} file: rename or repack it")
    return by_magic


def _unpacked(stream: BinaryIO, packing: str) -> BinaryIO:
    unpacked: BinaryIO = stream
    if packing == "gzip":
        unpacked = cast("BinaryIO", gzip.GzipFile(fileobj=stream, mode="rb"))
    elif packing == "zstd":
        unpacked = pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
    return unpacked


def _transcode(stream: BinaryIO, codec: str | None, out: BinaryIO) -> None:
    chunk = stream.read(CHUNK)
    codec = codec or _marked(chunk[:4])
    if codec is None:
        while chunk:
            out.write(chunk)
            chunk = stream.read(CHUNK)
        return
    decoder = codecs.getincrementaldecoder(codec)("strict")
    while chunk:
        out.write(decoder.decode(chunk).encode())
        chunk = stream.read(CHUNK)
    out.write(decoder.decode(b"", final=True).encode())


def _remove(paths: list[Path]) -> None:
    while paths:
        with contextlib.suppress(OSError):
            paths.pop().unlink(missing_ok=True)
