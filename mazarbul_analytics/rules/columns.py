"""Which header of a file means which column: aliases, `--map`, and what cannot be told.

Headers are matched without regard to case, white space, `_` and `-`. A column without a meaning
here is ignored and named, never guessed at.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mazarbul_analytics.errors import InvalidValue

__all__ = ["ALIASES", "KINDS", "Resolution", "mapped_columns", "normal_header", "resolve"]

# canonical column -> further spellings; the canonical name itself always counts
ALIASES: dict[str, dict[str, tuple[str, ...]]] = {
    "relations": {
        "subject": ("from", "fromEntity", "source"),
        "predicate": ("relation", "type", "rel"),
        "object": ("to", "toEntity", "target"),
        "subject_type": ("fromEntityType",),
        "object_type": ("toEntityType",),
        "attributes": (),
        "valid_from": (),
        "valid_to": (),
        "scope": (),
        "source_event_uid": (),
        "recorded_at": (),
        "op": (),
    },
    "entities": {
        "entity_uid": ("uid", "id"),
        "name": (),
        "type": (),
    },
    "relays": {
        "id": ("relay_id",),
        "record": ("bytes",),
        "parent": (),
        "parent_sha256": (),
        "refs": ("ref",),
        "from": (),
        "to": (),
        "kind": (),
        "body": (),
        "deposited_at": (),
    },
}
KINDS = tuple(ALIASES)

# each group needs one of its columns
_REQUIRED: dict[str, tuple[tuple[str, ...], ...]] = {
    "relations": (("subject",), ("predicate",), ("object",)),
    "entities": (("name",),),
    "relays": (("id",), ("record", "body")),
}

_SHOWN_HEADERS = 30
_BOM = "\ufeff"


@dataclass(frozen=True)
class Resolution:
    """What the headers mean: `columns` (canonical name to header), `ignored` (headers unused)."""

    columns: dict[str, str]
    ignored: list[str] = field(default_factory=list)


def normal_header(text: str) -> str:
    """Return the form in which headers are compared: casefolded, no white space, `_` or `-`."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return "".join(c for c in folded if not c.isspace() and c not in "_-")


def resolve(
    names: Sequence[str], mapping: Mapping[str, str] | None = None, kind: str = "relations"
) -> Resolution:
    """Tell which of the headers `names` stands for which canonical column of `kind`.

    `mapping` (canonical column to header) wins over the aliases: another header of the same
    meaning is then ignored. `kind` is `relations`, `entities` or `relays`.

    Raises `InvalidValue` with reason `duplicate_column` (two headers alike, or of one meaning),
    `missing_column` (a required column, or a mapped header, is not there) or `unknown_column`
    (a key of `mapping` that is no column).
    """
    aliases = ALIASES[kind]
    meanings = _meanings(kind)
    _refuse_twins(names)
    columns = _mapped(names, mapping or {}, kind)
    taken = set(columns.values())
    ignored: list[str] = []
    found: dict[str, str] = {}
    for name in names:
        canonical = None if name in taken else meanings.get(normal_header(name))
        if canonical in found:
            msg = (
                f"the columns {found[canonical]!r} and {name!r} both mean {canonical!r}: remove "
                f"or rename one, or choose with --map {canonical}={name!r}"
            )
            raise InvalidValue(msg, value=name, reason="duplicate_column")
        if canonical is None or canonical in columns:
            if name not in taken:
                ignored.append(name)
        else:
            found[canonical] = name
    columns |= found
    missing = [g for g in _REQUIRED[kind] if not any(canonical in columns for canonical in g)]
    if missing:
        raise _missing(missing, names, aliases)
    return Resolution({c: columns[c] for c in aliases if c in columns}, ignored)


def _meanings(kind: str) -> dict[str, str]:
    return {
        normal_header(spelling): canonical
        for canonical, others in ALIASES[kind].items()
        for spelling in (canonical, *others)
    }


def mapped_columns(mapping: Mapping[str, str], kind: str) -> dict[str, str]:
    """Return the header that each canonical column is mapped to; no file is needed for it.

    Raises `InvalidValue` with reason `unknown_column` (a key that is no column of `kind`) or
    `duplicate_column` (two keys of one meaning).
    """
    meanings = _meanings(kind)
    columns: dict[str, str] = {}
    for column, header in mapping.items():
        canonical = meanings.get(normal_header(column))
        if canonical is None:
            known = ", ".join(ALIASES[kind])
            msg = (
                f"{column!r} is no column of {kind}: a map is COLUMN=HEADER\n"
                f"The columns are {known}."
            )
            raise InvalidValue(msg, value=column, reason="unknown_column")
        if canonical in columns:
            msg = f"the column {canonical!r} is mapped twice: give --map {canonical}=HEADER once"
            raise InvalidValue(msg, value=column, reason="duplicate_column")
        columns[canonical] = header
    return columns


def _refuse_twins(names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        key = normal_header(name)
        if key in seen:
            msg = (
                f"the columns {seen[key]!r} and {name!r} are alike (case, white space, '_' and "
                f"'-' do not count): remove or rename one"
            )
            raise InvalidValue(msg, value=name, reason="duplicate_column")
        seen[key] = name


def _mapped(names: Sequence[str], mapping: Mapping[str, str], kind: str) -> dict[str, str]:
    by_key = {normal_header(name): name for name in names}
    columns: dict[str, str] = {}
    for canonical, header in mapped_columns(mapping, kind).items():
        name = by_key.get(normal_header(header))
        if name is None:
            msg = f"the column {header!r}, mapped to {canonical!r}, is not there; {_seen(names)}"
            raise InvalidValue(msg, value=header, reason="missing_column")
        columns[canonical] = name
    return columns


def _missing(
    groups: Sequence[Sequence[str]], names: Sequence[str], aliases: Mapping[str, Sequence[str]]
) -> InvalidValue:
    told = []
    for group in groups:
        spellings = "|".join(s for canonical in group for s in (canonical, *aliases[canonical]))
        told.append(f"{' or '.join(repr(c) for c in group)} ({spellings})")
    one = len(told) == 1
    msg = (
        f"the required column{'' if one else 's'} {' and '.join(told)} "
        f"{'is' if one else 'are'} missing; {_seen(names)}; "
        f"--map {groups[0][0]}=HEADER names {'it' if one else 'one'}"
    )
    if any(_BOM in name for name in names):
        msg += "; a header holds the invisible character U+FEFF (byte order mark): remove it"
    if names and names[0].lstrip().startswith("#"):
        msg += "; the first line starts with '#': comment lines are not skipped, remove them"
    return InvalidValue(msg, value=list(names), reason="missing_column")


def _seen(names: Sequence[str]) -> str:
    if not names:
        return "the file has no columns"
    shown = ", ".join(repr(name) for name in names[:_SHOWN_HEADERS])
    more = f" and {len(names) - _SHOWN_HEADERS} more" if len(names) > _SHOWN_HEADERS else ""
    return f"the headers are {shown}{more}"
