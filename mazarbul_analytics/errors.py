"""The exception tree: one base, one class per kind of mistake.

Every message names the value and the mend in one or two lines; the data behind it is on attributes,
so that a caller need not parse text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "AmbiguousEntity",
    "Candidate",
    "EntityConflict",
    "ImportAborted",
    "InvalidValue",
    "MazarbulError",
    "QueryError",
    "RelayConflict",
    "SelfReference",
    "StoreError",
    "UnknownEntity",
    "UnknownRelation",
    "UnknownRelay",
    "WriterBusy",
    "WritesDisabled",
]


class Candidate(NamedTuple):
    """An entity offered by an error: `uid`, `name`, `type`."""

    uid: str
    name: str
    type: str


class MazarbulError(Exception):
    """Base of every error that this package raises on purpose."""


class StoreError(MazarbulError):
    """The store, the disk or the engine failed; nothing was written."""


class WriterBusy(StoreError):
    """Another writer held the store's lock for too long; `holder` names it."""

    def __init__(self, message: str, *, holder: str = "") -> None:
        super().__init__(message)
        self.holder = holder


class InvalidValue(MazarbulError):
    """An argument is not of its form: `value`, for the `reason` (a code, docs/guarantees.md)."""

    def __init__(self, message: str, *, value: object = None, reason: str = "bad_value") -> None:
        super().__init__(message)
        self.value = value
        self.reason = reason


class QueryError(InvalidValue):
    """The engine refused a query that the caller wrote; the SQL is on `sql`."""

    def __init__(self, message: str, *, sql: str = "") -> None:
        super().__init__(message, value=sql, reason="bad_query")
        self.sql = sql


class SelfReference(InvalidValue):
    """Subject and object are one entity."""

    def __init__(self, message: str, *, value: object = None) -> None:
        super().__init__(message, value=value, reason="self_reference")


class EntityConflict(InvalidValue):
    """A known uid was given with another name or type."""

    def __init__(self, message: str, *, value: object = None) -> None:
        super().__init__(message, value=value, reason="entity_conflict")


class UnknownEntity(MazarbulError):
    """No entity matches a reference; `candidates` are near names."""

    def __init__(
        self, message: str, *, value: str = "", candidates: Sequence[Candidate] = ()
    ) -> None:
        super().__init__(message)
        self.value = value
        self.candidates = tuple(candidates)


class AmbiguousEntity(MazarbulError):
    """Several entities bear one name; `candidates` lists them."""

    def __init__(
        self, message: str, *, value: str = "", candidates: Sequence[Candidate] = ()
    ) -> None:
        super().__init__(message)
        self.value = value
        self.candidates = tuple(candidates)


class UnknownRelation(MazarbulError):
    """The store never held this relation; `value` is the uid or the key that was asked for."""

    def __init__(self, message: str, *, value: str = "") -> None:
        super().__init__(message)
        self.value = value


class UnknownRelay(MazarbulError):
    """A relay is not held; `state` is `KNOWN_MISSING` or `UNKNOWN`."""

    def __init__(self, message: str, *, value: str = "", state: str = "UNKNOWN") -> None:
        super().__init__(message)
        self.value = value
        self.state = state


class RelayConflict(MazarbulError):
    """Other bytes under a held id; the sha256 of both are on `held` and `given`."""

    def __init__(self, message: str, *, value: str = "", held: str = "", given: str = "") -> None:
        super().__init__(message)
        self.value = value
        self.held = held
        self.given = given


class ImportAborted(MazarbulError):
    """An import wrote nothing; `file` is the culprit, `rejects` a frame of the bad rows."""

    def __init__(self, message: str, *, file: str = "", rejects: object = None) -> None:
        super().__init__(message)
        self.file = file
        self.rejects = rejects


class WritesDisabled(MazarbulError):
    """Writing is switched off (`ENABLE_MEMORY=false`)."""
