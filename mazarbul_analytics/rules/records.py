"""The form of a record: the keeper's own block, the header block, the body; bytes kept exactly.

A file may begin with the keeper's block, which ends at its first line `---`; what follows is the
record. A record is the line `@p-e/x0`, header lines `name: value`, a blank line, a body. Lines end
in LF or CRLF. Only `parent` and `ref` name other records, and only in the header block.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.names import WHITE_SPACE

__all__ = ["MAGIC", "NONE", "Record", "is_record", "one_reference", "parse", "reference_list"]

MAGIC = b"@p-e/x0"
NONE = "none"
"""What stands for no reference; matched literally, like ids."""

_BLANK_LINE = re.compile(rb"\n\r?\n")
_KEEPER_END = re.compile(rb"^---\r?$", re.MULTILINE)
_HEADER = re.compile(rb"^([^\s:]+):[ \t]*([^\n]*?)[ \t]*\r?$", re.MULTILINE)
_SEPARATOR = re.compile(f"[{WHITE_SPACE},;]+")
_BOM = b"\xef\xbb\xbf"
_SHOWN = 80


class Record(NamedTuple):
    """A parsed record: its exact bytes, and what its header and its keeper's block say.

    `relay_id` is the id that it bears itself (header `id`, else the keeper's `assigned-id`).
    """

    record: bytes
    relay_id: str | None = None
    sender: str | None = None
    recipients: str | None = None
    parent: str | None = None
    parent_sha256: str | None = None
    refs: tuple[str, ...] = ()
    kind: str | None = None
    provenance: str | None = None
    deposited_by: str | None = None

    @property
    def sha256(self) -> str:
        """64 hex digits over the record's bytes alone, without the keeper's block."""
        return hashlib.sha256(self.record).hexdigest()


def is_record(data: bytes) -> bool:
    """Tell whether bytes begin with the line `@p-e/x0`."""
    return data.startswith(MAGIC) and data[len(MAGIC) :][:2].split(b"\n")[0] in (b"", b"\r")


def parse(data: bytes, relay_id: str | None = None) -> Record:
    """Return the record in a file's bytes; `relay_id` is the id that the file's name gives.

    Raises `InvalidValue`: `bad_header` for a missing `@p-e/x0` and for an empty `parent` or `ref`
    or one of several tokens, `bad_id` where `id`, `assigned-id` and `relay_id` differ.
    """
    keeper, record = _split(data)
    said = _headers(_header_block(record))
    kept = _headers(keeper) if keeper else {}
    borne = relay_id
    for name, value in (("assigned-id", kept.get(b"assigned-id")), ("id", said.get(b"id"))):
        if value is not None:
            own = _strict(value, name, "bad_id")
            if borne is not None and own != borne:
                raise InvalidValue(
                    f"{name} {_shown(own)} differs from {_shown(borne)}", value=own, reason="bad_id"
                )
            borne = own
    parent, ref = (
        None if value is None else one_reference(_strict(value, name), name)
        for name, value in (("parent", said.get(b"parent")), ("ref", said.get(b"ref")))
    )
    digest = _text(said.get(b"parent-sha256"))
    return Record(
        record,
        borne,
        sender=_text(said.get(b"from")),
        recipients=_text(said.get(b"to")),
        parent=parent,
        parent_sha256=None if digest == NONE else digest,
        refs=() if ref is None else (ref,),
        kind=_text(said.get(b"kind")),
        provenance=_text(kept.get(b"provenance")),
        deposited_by=_text(kept.get(b"deposited-by")),
    )


def one_reference(text: str, name: str) -> str | None:
    """Return the one id that a `parent` or `ref` names, None for `none`.

    Raises `InvalidValue` (`bad_header`) for nothing at all and for several tokens: white space,
    commas and semicolons part them.
    """
    token = text.strip(WHITE_SPACE)
    if not token:
        raise InvalidValue(
            f"{name} is empty: leave it out, or write {name}: {NONE}",
            value=text,
            reason="bad_header",
        )
    if _SEPARATOR.search(token):
        raise InvalidValue(
            f"{name} names one record, not several: {_shown(token)}",
            value=text,
            reason="bad_header",
        )
    return None if token == NONE else token


def reference_list(text: str) -> tuple[str, ...]:
    """Return the ids of a column `refs`: parted by white space, commas or semicolons, each once."""
    return tuple(dict.fromkeys(t for t in _SEPARATOR.split(text) if t and t != NONE))


def _split(data: bytes) -> tuple[bytes, bytes]:
    """Return the keeper's block, empty where there is none, and the record."""
    if is_record(data):
        return b"", data
    end = _KEEPER_END.search(data)
    keeper = b"" if end is None else data[: end.start()].removeprefix(_BOM)
    # a record that only begins oddly, and quotes another one after a `---` line, has no such block
    quoted = any(line.rstrip(b"\r") == MAGIC for line in keeper.split(b"\n"))
    if end is None or quoted or not is_record(data[end.end() + 1 :]):
        where = "where the record begins" if end is None or quoted else "after the keeper's block"
        raise InvalidValue(
            f"the line {MAGIC.decode()} is missing {where}",
            value=data[:_SHOWN].decode("utf-8", "backslashreplace"),
            reason="bad_header",
        )
    return keeper, data[end.end() + 1 :]


def _header_block(record: bytes) -> bytes:
    blank = _BLANK_LINE.search(record)
    return record[len(MAGIC) :] if blank is None else record[len(MAGIC) : blank.start()]


def _headers(block: bytes) -> dict[bytes, bytes]:
    """Return the first value of each name; lines that are not `name: value` say nothing."""
    found: dict[bytes, bytes] = {}
    for name, value in _HEADER.findall(block):
        found.setdefault(name, value)
    return found


def _strict(value: bytes, name: str, reason: str = "bad_header") -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        shown = value.decode("utf-8", "backslashreplace")
        raise InvalidValue(
            f"{name} is not UTF-8: {_shown(shown)}", value=shown, reason=reason
        ) from None


def _text(value: bytes | None) -> str | None:
    return value.decode("utf-8", "replace") or None if value is not None else None


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
