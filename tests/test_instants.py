from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules import instants

IST = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01t00:00:00z", "2024-01-01T00:00:00Z"),
        ("2024-01-01 00:00:00Z", "2024-01-01T00:00:00Z"),
        (" 2024-01-01T00:00:00Z\u00a0", "2024-01-01T00:00:00Z"),
        ("2024-03-10T01:30:00+05:30", "2024-03-09T20:00:00Z"),
        ("2024-03-09T10:30:00-09:30", "2024-03-09T20:00:00Z"),
        ("2024-03-09T20:00:00-00:00", "2024-03-09T20:00:00Z"),
        ("2024-03-09T20:00:00.000Z", "2024-03-09T20:00:00Z"),
        ("2024-01-01T00:00:00.1234560000Z", "2024-01-01T00:00:00.123456Z"),
        ("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.500000Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("1901-05-06T07:08:09.123Z", "1901-05-06T07:08:09.123000Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2024-01-01T00:00:00+23:59", "2023-12-31T00:01:00Z"),
    ],
)
def test_parse(text: str, expected: str) -> None:
    found = instants.parse(text)
    assert found.tzinfo is UTC
    assert instants.format(found) == expected
    assert instants.parse(expected) == found
    assert instants.parse(text, timezone="UTC") == found


@pytest.mark.parametrize(
    "text",
    [
        "2016-12-31T23:59:60Z",
        "2016-12-31T15:59:60-08:00",
        "2024-05-05T12:00:60Z",
        "2024-01-01T24:00:00Z",
        "2023-02-29T00:00:00Z",
        "2023-13-01",
        "0000-01-01",
        "2024-01-01T00:00:00.1234567890Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00,5Z",
        "2024-01-01T00:00Z",
        "2024-1-1T00:00:00Z",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00+05:60",
        "2024-03-10T01:30:00+0530",
        "2024-03-09T22:00:00+02",
        "2024-03-09T22:00:00 +02:00",
        "20240101T000000Z",
        "2024-W01-1",
        "\u0662\u0660\u0662\u0664-01-01T00:00:00Z",
        "2024-01-01T00:00:00+\uff10\uff15:30",
        "2024-01-01  00:00:00Z",
        "2024-01-01\t00:00:00Z",
        "2024-01-01T00:00:00Z\x1c",
        "2024-01-01Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "45292",
        "45292.5",
        "0",
        "1709928000123",
        "01/02/2024",
        "2024/01/02",
        "now",
        "",
        "infinity",
    ],
)
def test_refused_everywhere_alike(text: str) -> None:
    for zone in (None, "UTC", "Asia/Kolkata"):
        with pytest.raises(InvalidValue, match=r"give|write") as caught:
            instants.parse(text, timezone=zone)
        assert caught.value.reason == "bad_instant"
        assert caught.value.value == text


def test_a_naive_time_shows_how_to_write_it() -> None:
    with pytest.raises(InvalidValue, match="write 2024-03-09T20:00:00Z for UTC") as caught:
        instants.parse(" 2024-03-09T20:00:00")
    assert caught.value.reason == "bad_instant"


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2024-03-09T20:00:00", "UTC", "2024-03-09T20:00:00Z"),
        ("2024-03-09 20:00:00", "Asia/Kolkata", "2024-03-09T14:30:00Z"),
        ("2024-03-09", "Asia/Kolkata", "2024-03-08T18:30:00Z"),
        ("2024-03-09T20:00:00Z", "Asia/Kolkata", "2024-03-09T20:00:00Z"),
        ("2024-03-09T20:00:00+01:00", "Asia/Kolkata", "2024-03-09T19:00:00Z"),
        ("2024-07-01T12:00:00.25", "America/New_York", "2024-07-01T16:00:00.250000Z"),
        ("2024-03-31T01:59:59.999999", "Europe/Berlin", "2024-03-31T00:59:59.999999Z"),
        ("2024-03-31T03:00:00", "Europe/Berlin", "2024-03-31T01:00:00Z"),
        ("2024-10-27T01:59:59", "Europe/Berlin", "2024-10-26T23:59:59Z"),
        ("2024-10-27T03:00:00", "Europe/Berlin", "2024-10-27T02:00:00Z"),
    ],
)
def test_local_times(text: str, zone: str, expected: str) -> None:
    assert instants.format(instants.parse(text, timezone=zone)) == expected


@pytest.mark.parametrize(
    ("text", "zone", "reason"),
    [
        ("2024-03-31T02:00:00", "Europe/Berlin", "nonexistent_local_time"),
        ("2024-03-31T02:59:59.999999", "Europe/Berlin", "nonexistent_local_time"),
        ("2024-09-08", "America/Santiago", "nonexistent_local_time"),
        ("2011-12-30T12:00:00", "Pacific/Apia", "nonexistent_local_time"),
        ("2024-10-27T02:00:00", "Europe/Berlin", "ambiguous_local_time"),
        ("2024-11-03T01:59:59", "America/New_York", "ambiguous_local_time"),
        ("2024-01-01", "Nowhere/City", "bad_timezone"),
        ("2024-01-01", "../etc", "bad_timezone"),
        ("2024-01-01", "", "bad_timezone"),
    ],
)
def test_refused_local_times(text: str, zone: str, reason: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        instants.parse(text, timezone=zone)
    assert caught.value.reason == reason


def test_objects() -> None:
    aware = datetime(2024, 3, 10, 1, 30, tzinfo=IST)
    assert instants.parse(aware) == datetime(2024, 3, 9, 20, tzinfo=UTC)
    assert instants.parse(aware).tzinfo is UTC
    assert instants.parse(date(2024, 3, 9)) == datetime(2024, 3, 9, tzinfo=UTC)
    naive = datetime(2024, 3, 9, 20)  # noqa: DTZ001
    assert instants.parse(naive, timezone="Asia/Kolkata") == datetime(
        2024, 3, 9, 14, 30, tzinfo=UTC
    )
    for value in (naive, 45292, None, datetime(1, 1, 1, tzinfo=IST)):
        with pytest.raises(InvalidValue) as caught:
            instants.parse(value)  # type: ignore[arg-type]
        assert caught.value.reason == "bad_instant"


class _Stamp(datetime):
    """A datetime with nanoseconds, as pandas has them."""

    nanosecond = 0


def test_subclasses_of_datetime() -> None:
    stamp = _Stamp(2024, 3, 10, 1, 30, 0, 500_000, tzinfo=IST)
    found = instants.parse(stamp)
    assert type(found) is datetime
    assert instants.format(found) == "2024-03-09T20:00:00.500000Z"
    stamp.nanosecond = 1
    with pytest.raises(InvalidValue, match="beyond microseconds") as caught:
        instants.parse(stamp)
    assert caught.value.reason == "bad_instant"


def test_parse_bound() -> None:
    for text in (None, "", "  ", "\u3000"):
        assert instants.parse_bound(text) is None
    for text in ("-infinity", " -Infinity ", instants.NEGATIVE_INFINITY):
        assert instants.parse_bound(text) is instants.NEGATIVE_INFINITY
    for text in ("infinity", "INFINITY", "+infinity", instants.POSITIVE_INFINITY):
        assert instants.parse_bound(text) is instants.POSITIVE_INFINITY
    assert instants.parse_bound("2024-01-01") == datetime(2024, 1, 1, tzinfo=UTC)
    for text in ("inf", "january", "- infinity"):
        with pytest.raises(InvalidValue):
            instants.parse_bound(text)


def test_format() -> None:
    assert instants.format(None) is None
    assert instants.format(datetime(5, 3, 9, 20, tzinfo=UTC)) == "0005-03-09T20:00:00Z"
    assert instants.format(datetime(2024, 3, 9, 20)) == "2024-03-09T20:00:00Z"  # noqa: DTZ001
    assert instants.format(datetime(2024, 3, 10, 1, 30, tzinfo=IST)) == "2024-03-09T20:00:00Z"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("45s", timedelta(seconds=45)),
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("7d", timedelta(days=7)),
        (" 2w ", timedelta(days=14)),
        ("0d", timedelta(0)),
        (timedelta(days=1), timedelta(days=1)),
    ],
)
def test_duration(text: str | timedelta, expected: timedelta) -> None:
    assert instants.duration(text) == expected


@pytest.mark.parametrize(
    "text", ["", "7", "d", "-1d", "1.5h", "7 days", "7D", "\u0667d", "999999999w", -timedelta(1), 7]
)
def test_refused_durations(text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        instants.duration(text)
    assert caught.value.reason == "bad_duration"
