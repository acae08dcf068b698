"""Which header of a file means which column: aliases, `--map`, and what cannot be told.

Headers are matched without regard to case, white space, `_` and `-`. A column without a meaning
here is ignored and named, never guessed at.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mazarbul_analytics.errors import InvalidValue

__all__ = ["ALIASES", "KINDS", "Resolution", "normal_header", "resolve"]

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
    meanings = {
        normal_header(spelling): canonical
        for canonical, others in aliases.items()
        for spelling in (canonical, *others)
    }
    _refuse_twins(names)
    columns = _mapped(names, mapping or {}, meanings, kind)
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
    for group in _REQUIRED[kind]:
        if not any(canonical in columns for canonical in group):
            raise _missing(group, names, aliases)
    return Resolution({c: columns[c] for c in aliases if c in columns}, ignored)


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


def _mapped(
    names: Sequence[str], mapping: Mapping[str, str], meanings: Mapping[str, str], kind: str
) -> dict[str, str]:
    by_key = {normal_header(name): name for name in names}
    columns: dict[str, str] = {}
    for column, header in mapping.items():
        canonical = meanings.get(normal_header(column))
        if canonical is None:
            known = ", ".join(ALIASES[kind])
            msg = f"{column!r} is no column of {kind}; known are {known}"
            raise InvalidValue(msg, value=column, reason="unknown_column")
        if canonical in columns:
            msg = f"the column {canonical!r} is mapped twice: give --map {canonical}=HEADER once"
            raise InvalidValue(msg, value=column, reason="duplicate_column")
        name = by_key.get(normal_header(header))
        if name is None:
            msg = f"the column {header!r}, mapped to {canonical!r}, is not there; {_seen(names)}"
            raise InvalidValue(msg, value=header, reason="missing_column")
        columns[canonical] = name
    return columns


def _missing(
    group: Sequence[str], names: Sequence[str], aliases: Mapping[str, Sequence[str]]
) -> InvalidValue:
    spellings = "|".join(s for canonical in group for s in (canonical, *aliases[canonical]))
    what = " or ".join(repr(canonical) for canonical in group)
    msg = (
        f"the required column {what} ({spellings}) is missing; {_seen(names)}; "
        f"--map {group[0]}=HEADER names it"
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
