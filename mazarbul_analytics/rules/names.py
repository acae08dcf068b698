"""Normal forms of names, predicates, types and scopes; the keys and uids that follow from them.

Every path (Python, command line, imports) comes through these functions, so that a name is judged
and matched in one way everywhere. SQL `lower()` is not Unicode case folding: never mix the two.
"""

from __future__ import annotations

import re
import reprlib
import unicodedata
from datetime import date
from hashlib import md5
from typing import NamedTuple
from uuid import UUID

from mazarbul_analytics.errors import InvalidValue

__all__ = [
    "DEFAULT_SCOPES",
    "DEFAULT_TYPE",
    "IMPLIED",
    "KNOWN_TYPES",
    "NAME_LIMIT",
    "PREDICATE_LIMIT",
    "SCOPES",
    "WHITE_SPACE",
    "Reference",
    "entity_type",
    "entity_uid",
    "escape_invisible",
    "implied_types",
    "name_key",
    "normal_name",
    "parse_reference",
    "parse_uid",
    "predicate",
    "relation_uid",
    "scope",
    "shown",
    "source_event",
]

NAME_LIMIT = 200
PREDICATE_LIMIT = 100
SCOPES = ("project", "personal", "team")
DEFAULT_SCOPES = ("project", "personal")
KNOWN_TYPES = ("person", "concept", "project", "preference", "fact", "location", "organization")
DEFAULT_TYPE = "concept"

# what a predicate says about the types of its subject and its object, where nothing else does
IMPLIED: dict[str, tuple[str | None, str | None]] = {
    "works_at": ("person", "organization"),
    "works_for": ("person", "organization"),
    "employed_by": ("person", "organization"),
    "manages": ("person", "organization"),
    "founded": ("person", "organization"),
    "member_of": ("person", "organization"),
    "studied_at": ("person", "organization"),
    "knows": ("person", "person"),
    "reports_to": ("person", "person"),
    "married_to": ("person", "person"),
    "friend_of": ("person", "person"),
    "lives_in": ("person", "location"),
    "born_in": ("person", "location"),
    "located_in": (None, "location"),
    "created": (None, "project"),
    "uses": ("project", None),
    "prefers": ("person", None),
}

# the Unicode property White_Space, exactly; str.strip() would also take U+001C to U+001F
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_SPACES_HYPHENS = re.compile(f"[{WHITE_SPACE}-]+")
# the category Cc, and halves of surrogate pairs, which UTF-8 has no form for
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TYPE = re.compile(r"[a-z][a-z0-9_]{0,99}")
_UID = re.compile(
    r"(?:entities/)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})",
    re.IGNORECASE | re.ASCII,
)
# zero-width and direction-changing characters; not U+200C and U+200D, which are parts of letters
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
_SHOWN_LIMIT = 60


class Reference(NamedTuple):
    """What a text names: an entity by `uid`, or by (normal) `name`; the other is None."""

    uid: str | None
    name: str | None


def shown(text: object) -> str:
    """Write a value for an error message: quoted, escaped where invisible, 60 characters long."""
    # reprlib: a deep or cyclic value must not break the message that refuses it
    words = text if isinstance(text, str) else reprlib.repr(text)
    words = str(text) if isinstance(text, date) else words
    cut = words if len(words) <= _SHOWN_LIMIT else words[: _SHOWN_LIMIT - 1] + "…"
    return escape_invisible(repr(cut))


def escape_invisible(text: str) -> str:
    r"""Write zero-width characters and direction marks as `\u200b` and the like.

    For terminals, HTML and Markdown, where two names would else look alike. The joiners U+200C and
    U+200D belong to Persian words and emoji and stay.
    """
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    reason = "missing_value" if value is None else "bad_value"
    raise InvalidValue(f"{what} must be text, not {shown(value)}", value=value, reason=reason)


def _refuse_control(checked: str, text: str, what: str) -> None:
    found = _CONTROL.search(checked)
    if found is not None:
        raise InvalidValue(
            f"{what} {shown(text)} holds the control character U+{ord(found[0]):04X}: remove it",
            value=text,
            reason="bad_character",
        )


def _normal(text: str, what: str, limit: int, *, empty: str, too_long: str) -> str:
    normal = _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip(" ")
    if normal.isascii() and normal.isprintable() and 0 < len(normal) <= limit:
        return normal
    if all(unicodedata.category(c) in {"Cf", "Zs"} for c in normal):
        raise InvalidValue(
            f"{what} {shown(text)} is empty: give at least one visible character",
            value=text,
            reason=empty,
        )
    if len(normal) > limit:
        raise InvalidValue(
            f"{what} {shown(text)} has {len(normal)} characters: at most {limit} are allowed",
            value=text,
            reason=too_long,
        )
    _refuse_control(normal, text, what)
    return normal


def normal_name(text: str) -> str:
    """Return a display name in its normal form: NFC, white space folded and trimmed.

    1 to 200 code points, counted in that form. Raises InvalidValue with the reason `empty_name`
    (also for a name of format characters alone), `name_too_long` or `bad_character`.
    """
    return _normal(
        _text(text, "The name"),
        "The name",
        NAME_LIMIT,
        empty="empty_name",
        too_long="name_too_long",
    )


def name_key(name: str) -> str:
    """Return what names are matched by: NFC(casefold(NFC(name))), Unicode full case folding."""
    if name.isascii():
        return name.lower()
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", folded)


def predicate(text: str) -> str:
    """Return the canonical form of a relation's name: trimmed, casefolded, joined by `_`.

    1 to 100 code points, counted before that; a run of white space and hyphens (U+002D) becomes
    one `_`. Raises InvalidValue with the reason `empty_relation`, `relation_too_long` or
    `bad_character`.
    """
    normal = _normal(
        _text(text, "The relation"),
        "The relation",
        PREDICATE_LIMIT,
        empty="empty_relation",
        too_long="relation_too_long",
    )
    return _SPACES_HYPHENS.sub("_", name_key(normal))


def entity_type(text: str) -> str:
    """Return an entity type as an identifier, `[a-z][a-z0-9_]{0,99}`, casefolded.

    White space and hyphens become `_`. Raises InvalidValue with the reason `bad_type`.
    """
    folded = _text(text, "The type").strip(WHITE_SPACE).casefold()
    found = _SPACES_HYPHENS.sub("_", folded)
    if _TYPE.fullmatch(found) is None:
        raise InvalidValue(
            f"The type {shown(text)} is no identifier: a letter a-z, then up to 99 letters, digits"
            " or _, as in 'organization'",
            value=text,
            reason="bad_type",
        )
    return found


def implied_types(predicate: str) -> tuple[str | None, str | None]:
    """Return the types of subject and object that a canonical predicate implies, None if none."""
    return IMPLIED.get(predicate, (None, None))


def scope(text: str) -> str:
    """Return one of `project`, `personal`, `team`, written in any case.

    Raises InvalidValue with the reason `unknown_scope`.
    """
    found = _text(text, "The scope").strip(WHITE_SPACE).casefold()
    if found not in SCOPES:
        raise InvalidValue(
            f"The scope {shown(text)} is unknown: it is one of {', '.join(SCOPES)}",
            value=text,
            reason="unknown_scope",
        )
    return found


def source_event(text: str | None) -> str | None:
    """Return a source event's uid, trimmed and else as given; None for none and for white space.

    Raises InvalidValue with the reason `bad_character` for control characters.
    """
    if text is None:
        return None
    found = _text(text, "The source event").strip(WHITE_SPACE)
    _refuse_control(found, text, "The source event")
    return found or None


_VERSION_AND_VARIANT = (0xF << 76) | (0xF << 60)
_VERSION_8 = (0x8 << 76) | (0xA << 60)


def _uuid(text: str) -> str:
    # RFC 9562 version 8: the md5 of a key, its bytes as one little-endian number (as the engine's
    # md5_number reads them, see sql/macros/uid_of.sql), with the version and variant digits set
    number = int.from_bytes(md5(text.encode(), usedforsecurity=False).digest(), "little")
    return str(UUID(int=number & ~_VERSION_AND_VARIANT | _VERSION_8))


def entity_uid(name_key: str) -> str:
    """Return the uid of an entity that is created by name: the same in every store."""
    return _uuid(f"entity\n{name_key}")


def relation_uid(scope: str, subject_uid: str, predicate: str, object_uid: str) -> str:
    """Return the uid of a relation: it follows from its key, so it survives every correction."""
    return _uuid(f"relation\n{scope}\n{subject_uid}\n{predicate}\n{object_uid}")


def parse_uid(text: str) -> str | None:
    """Return the uid that `entities/{uid}` or a bare uid gives, in lower case; None for others."""
    found = _UID.fullmatch(text.strip(WHITE_SPACE))
    return None if found is None else found[1].lower()


def parse_reference(text: str) -> Reference:
    """Tell whether a text refers to an entity by uid (`entities/{uid}`, a bare uid) or by name.

    Raises InvalidValue as `normal_name` does when it is a name.
    """
    uid = parse_uid(_text(text, "The entity"))
    return Reference(None, normal_name(text)) if uid is None else Reference(uid, None)
