"""Environment variables that switch something: their values are judged here, once."""

from __future__ import annotations

import os

from mazarbul_analytics.errors import InvalidValue

__all__ = ["lock_timeout", "switched_on"]


def switched_on(variable: str) -> bool:
    """Tell whether an environment variable is unset, or `true` in any case; all else is off."""
    return os.environ.get(variable, "true").lower() == "true"


def lock_timeout() -> float:
    """Return how many seconds a writer waits for another one: `MAZARBUL_LOCK_TIMEOUT`, or 300."""
    given = os.environ.get("MAZARBUL_LOCK_TIMEOUT", "300")
    try:
        return max(0.0, float(given))
    except ValueError:
        raise InvalidValue(
            f"MAZARBUL_LOCK_TIMEOUT is not a number of seconds: {given!r}", value=given
        ) from None
