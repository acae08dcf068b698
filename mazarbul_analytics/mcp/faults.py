"""How a failure reads to an agent: one JSON object whose `error` names the value and the mend.

The library's messages mend by commands and by Python's names; an agent has tools and their names.
"""

from __future__ import annotations

import logging

from mazarbul_analytics import errors
from mazarbul_analytics.rules import answers

__all__ = ["as_json"]

log = logging.getLogger("mazarbul_analytics.mcp")

_BY_REASON = {
    "empty_period": "validFrom is included, validTo is excluded: give a later validTo.",
}
_BY_KIND: tuple[tuple[type[errors.MazarbulError], str], ...] = (
    (errors.UnknownRelation, "relations with includeInactive lists what was ever recorded."),
)
_NO_NEAR_NAME = "The tool entities lists the names that are known."


def as_json(error: Exception) -> str:
    """Return `{"error": …}`; what is no error of ours is a defect and logged with its traceback."""
    return answers.encode({"error": _message(error)})


def _message(error: Exception) -> str:
    if isinstance(error, errors.MazarbulError):
        mend = _mend(error)
        return str(error) if mend is None else f"{str(error).splitlines()[0]}\n{mend}".strip()
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename is not None else ""
        return f"{what}{error.strerror}"
    log.error("a tool failed", exc_info=error)
    first = (str(error).splitlines() or [""])[0]
    return f"unexpected {type(error).__name__}: {first}".rstrip(": ")


def _mend(error: errors.MazarbulError) -> str | None:
    """Return the second line that fits an agent, None where the library's own does."""
    if isinstance(error, errors.UnknownEntity) and not error.candidates:
        return _NO_NEAR_NAME
    if isinstance(error, errors.InvalidValue) and error.reason in _BY_REASON:
        return _BY_REASON[error.reason]
    return next((mend for kind, mend in _BY_KIND if isinstance(error, kind)), None)
