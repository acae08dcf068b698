"""Instants, periods' bounds and durations: how they are read and written.

Instants are aware datetimes in UTC with microseconds. What people type is RFC 3339 with an offset;
imports may name a zone in which a time without an offset, or a bare date, is local.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.names import WHITE_SPACE, shown

__all__ = [
    "NEGATIVE_INFINITY",
    "POSITIVE_INFINITY",
    "Open",
    "duration",
    "format",
    "parse",
    "parse_bound",
    "zone",
]


class Open(Enum):
    """A bound that is no instant: a period without a beginning or without an end."""

    NEGATIVE = "-infinity"
    POSITIVE = "infinity"


NEGATIVE_INFINITY = Open.NEGATIVE
POSITIVE_INFINITY = Open.POSITIVE

_OPEN = {"-infinity": Open.NEGATIVE, "infinity": Open.POSITIVE, "+infinity": Open.POSITIVE}
_EXAMPLE = "write it like 2024-03-01T12:00:00Z, 2024-03-01T12:00:00+05:30 or 2024-03-01"
_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))?)?"
)
_DURATION = re.compile(r"([0-9]{1,9}) ?([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MICROSECOND_DIGITS = 6
_LAST_HOUR, _LAST_MINUTE = 23, 59


def _refuse(value: object, why: str, reason: str = "bad_instant") -> InvalidValue:
    return InvalidValue(f"{shown(value)} {why}", value=value, reason=reason)


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo:
    """Return the time zone of an IANA name. Raises InvalidValue (`bad_timezone`) if unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError) as error:
        raise _refuse(
            name, "is no time zone: give an IANA name like Europe/Berlin or UTC", "bad_timezone"
        ) from error


def _from_local(naive: datetime, given: object, timezone: str) -> datetime:
    """Return the instant of a local time; one that is skipped or comes twice is refused."""
    local = naive.replace(tzinfo=zone(timezone))
    first, second = local.utcoffset(), local.replace(fold=1).utcoffset()
    if first is None or second is None:  # pragma: no cover - a ZoneInfo always has an offset
        raise _refuse(given, f"has no offset in {timezone}")
    # clocks put forward skip the hour (the later offset is larger), clocks put back repeat it
    if first < second:
        raise _refuse(
            given,
            f"does not exist in {timezone}, where clocks skip it: give the offset",
            "nonexistent_local_time",
        )
    if first > second:
        raise _refuse(
            given,
            f"comes twice in {timezone}, where clocks are put back: give the offset",
            "ambiguous_local_time",
        )
    return (naive - first).replace(tzinfo=UTC)


def _from_object(value: date, timezone: str | None) -> datetime:
    if not isinstance(value, datetime):
        midnight = datetime(value.year, value.month, value.day)  # noqa: DTZ001
        return _from_local(midnight, value, timezone or "UTC")
    if getattr(value, "nanosecond", 0):
        raise _refuse(value, "has digits beyond microseconds: round it first")
    # a plain datetime, whatever subclass (pandas) came in
    plain = datetime(  # noqa: DTZ001
        value.year,
        value.month,
        value.day,
        value.hour,
        value.minute,
        value.second,
        value.microsecond,
    )
    offset = value.utcoffset()
    if offset is not None:
        return (plain - offset).replace(tzinfo=UTC)
    if timezone is None:
        raise _refuse(value, "has no time zone: give an aware datetime (tzinfo=datetime.UTC)")
    return _from_local(plain, value, timezone)


def _from_text(text: str, timezone: str | None) -> datetime:
    found = _INSTANT.fullmatch(text.strip(WHITE_SPACE))
    if found is None:
        raise _refuse(text, f"is not RFC 3339: {_EXAMPLE}")
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = (
        found.groups()
    )
    digits = fraction or ""
    if digits[_MICROSECOND_DIGITS:].strip("0"):
        raise _refuse(text, "has digits beyond microseconds: give at most 6 after the point")
    plain = datetime(  # noqa: DTZ001
        int(year),
        int(month),
        int(day),
        int(hour or 0),
        int(minute or 0),
        int(second or 0),
        int(digits[:_MICROSECOND_DIGITS].ljust(_MICROSECOND_DIGITS, "0")),
    )
    if zulu:
        return plain.replace(tzinfo=UTC)
    if sign:
        hours, minutes = int(off_hour), int(off_minute)
        if hours > _LAST_HOUR or minutes > _LAST_MINUTE:
            raise _refuse(text, "has an offset beyond 23:59: give it like +05:30")
        offset = timedelta(hours=hours, minutes=minutes)
        return (plain + offset if sign == "-" else plain - offset).replace(tzinfo=UTC)
    if timezone is not None:
        return _from_local(plain, text, timezone)
    if hour is not None:
        stripped = text.strip(WHITE_SPACE)
        raise _refuse(text, f"has no offset: write {stripped}Z for UTC, or {stripped}+05:30")
    return plain.replace(tzinfo=UTC)


def parse(text: str | date, *, timezone: str | None = None) -> datetime:
    """Return an instant as an aware datetime in UTC, exact to the microsecond.

    Text is RFC 3339 with an offset (`2024-03-01T12:00:00Z`, `+05:30`; lower-case `t` and `z` and a
    space for the `T` too; white space around it is trimmed) or a bare date, which is midnight UTC.
    With `timezone` (an IANA name) a bare date and a time without an offset are local to that zone.
    A datetime must be aware unless `timezone` is given; a date is midnight.

    Raises InvalidValue with the reason `bad_instant`, `ambiguous_local_time` or
    `nonexistent_local_time`.
    """
    try:
        if isinstance(text, str):
            return _from_text(text, timezone)
        if isinstance(text, date):
            return _from_object(text, timezone)
    except (ValueError, OverflowError, TypeError) as error:
        # months, days, hours out of range; year 0; an offset that leaves the years 1 to 9999
        raise _refuse(
            text, f"is no time that exists (hours end at 23, seconds at 59): {_EXAMPLE}"
        ) from error
    raise _refuse(text, f"is no instant: {_EXAMPLE}")


def parse_bound(
    text: str | date | Open | None, *, timezone: str | None = None
) -> datetime | Open | None:
    """Return an end of a period: an instant, `-infinity`/`infinity`, or None when not given.

    None, empty text and white space are "not given". Raises InvalidValue as `parse` does.
    """
    if text is None or isinstance(text, Open):
        return text
    if isinstance(text, str):
        stripped = text.strip(WHITE_SPACE)
        if not stripped:
            return None
        if stripped[-1] in "yY" and (found := _OPEN.get(stripped.lower())) is not None:
            return found
    return parse(text, timezone=timezone)


def format(instant: datetime | None) -> str | None:  # noqa: A001
    """Write an instant as RFC 3339 in UTC with `Z`; six digits of fraction, or none when zero.

    A datetime without a zone is taken as UTC. None stays None.
    """
    if instant is None:
        return None
    utc = instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    return utc.replace(tzinfo=None).isoformat() + "Z"


def duration(text: str | timedelta) -> timedelta:
    """Return a length of time written as `45s`, `30m`, `12h`, `7d` or `2w`.

    Zero is allowed, less is not. Raises InvalidValue with the reason `bad_duration`.
    """
    if isinstance(text, timedelta):
        if text >= timedelta(0):
            return text
    elif isinstance(text, str):
        found = _DURATION.fullmatch(text.strip(WHITE_SPACE))
        if found is not None:
            try:
                return timedelta(**{_UNITS[found[2]]: int(found[1])})
            except OverflowError as error:
                raise _refuse(text, "is too long a time", "bad_duration") from error
    raise _refuse(text, "is no duration: write it like 30m, 12h or 7d", "bad_duration")
