"""Standard and summer time of zones, as each release of the tz database tells them."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

from .feed import Period, Snapshot
from .sources import tz_news

Spell = tuple[datetime, int, bool]

# Zones whose summers were announced, moved or called off at short notice.
SUMMER_ZONES = (
    "Africa/Cairo Africa/Tripoli America/Asuncion America/Cancun America/Grand_Turk "
    "America/Havana America/Mexico_City America/Montevideo America/Nuuk America/Port-au-Prince "
    "America/Santiago America/Sao_Paulo Asia/Amman Asia/Baku Asia/Beirut Asia/Damascus Asia/Gaza "
    "Asia/Tehran Asia/Ulaanbaatar Europe/Istanbul Pacific/Apia Pacific/Fiji Pacific/Norfolk "
    "Pacific/Tongatapu"
).split()
# What changed here is only how the database writes summer time (as negative winter time).
NOT_STANDARD = {"Africa/Windhoek", "Europe/Dublin"}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_SUMMER = datetime(2012, 1, 1, tzinfo=UTC)
HORIZON = timedelta(days=400)


def snapshots(sources: Path) -> Iterator[Snapshot]:
    """One snapshot a tz release of which a wheel is at hand, oldest first."""
    dates = _release_dates(tz_news(sources))
    wheels = _wheels(sources / "wheels")
    if undated := sorted(wheels.keys() - dates.keys()):
        raise SystemExit(f"a newer tzdata_*.deb is needed to date {', '.join(undated)}")
    ordered = sorted(wheels, key=dates.__getitem__)
    country = _countries(wheels[ordered[-1]])
    spells = {v: _spells(wheels[v], dates[v] + 2 * HORIZON) for v in ordered}
    moved = {
        zone
        for known in spells.values()
        for zone, told in known.items()
        if len(_standard_times(told)) > 1
    }
    for version in ordered:
        snapshot = Snapshot(dates[version], f"tz/{version}")
        for zone, told in spells[version].items():
            if zone not in country:
                continue  # was renamed or merged since
            if zone in moved - NOT_STANDARD:
                for offset, (start, end) in _standard_times(told):
                    key = (zone, "has_standard_time", offset)
                    snapshot.say(key, start, end, country=country[zone])
            if zone in SUMMER_ZONES:
                for start, end in _summers(told, dates[version] + HORIZON):
                    snapshot.say((zone, "observes", "daylight saving time"), start, end)
        yield snapshot


def _release_dates(news: str) -> dict[str, datetime]:
    """Release name to date from the NEWS file: `Release 2014j - 2014-11-10 17:37:11 -0800`."""
    line = r"^Release (2\d{3}[a-z]) - (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4})$"
    return {
        name: datetime.strptime(date, "%Y-%m-%d %H:%M:%S %z").astimezone(UTC)
        for name, date in re.findall(line, news, re.MULTILINE)
    }


def _wheels(folder: Path) -> dict[str, tuple[str, zipfile.ZipFile]]:
    """Release name to the wheel that carries it and the folder inside it."""
    wheels = {}
    for path in sorted(folder.glob("*.whl")):  # a release in both is taken from tzdata
        module, wheel = path.name.split("-")[0], zipfile.ZipFile(path)
        init = wheel.read(f"{module}/__init__.py").decode()
        found = re.search(r"(?:OLSON|IANA)_VERSION = [\"'](\w+)", init)
        if not found:
            raise SystemExit(f"{path.name} does not say which tz release it carries")
        wheels[found[1]] = (f"{module}/zoneinfo/", wheel)
    return wheels


def _countries(wheel: tuple[str, zipfile.ZipFile]) -> dict[str, str]:
    """Zone to ISO 3166 country code, from zone.tab."""
    lines = wheel[1].read(wheel[0] + "zone.tab").decode().splitlines()
    table = [line.split("\t") for line in lines if not line.startswith("#")]
    return {cells[2]: cells[0] for cells in table}


def _spells(wheel: tuple[str, zipfile.ZipFile], until: datetime) -> dict[str, list[Spell]]:
    """Every zone's spells; a yearly rule is followed to `until` where its summers are told."""
    root, files = wheel
    held = set(files.namelist()) & {root + zone for zone in _countries(wheel)}
    spells = {}
    for name in sorted(held):
        zone, data = name.removeprefix(root), files.read(name)
        known = _read_tzif(data)
        if data.count(b",", data.rindex(b"\n", 0, -1)):  # the footer holds a yearly rule
            last = known[-1][0]
            end = until if zone in SUMMER_ZONES else last + timedelta(days=800)
            known += _follow_rule(data, last, end)
        spells[zone] = known
    return spells


def _read_tzif(data: bytes) -> list[Spell]:
    """Start, UTC offset in seconds and summer flag of each spell in a TZif file (RFC 8536)."""
    position, spells = 0, []
    for letter, size in (("l", 4), ("q", 8)):  # the second block has the full range
        isut, isstd, leap, count, types, chars = struct.unpack_from(">6l", data, position + 20)
        at = position + 44
        times = struct.unpack_from(f">{count}{letter}", data, at)
        kinds = data[at + count * size : at + count * (size + 1)]
        at += count * (size + 1)
        ttinfo = [struct.unpack_from(">lBB", data, at + 6 * i) for i in range(types)]
        position = at + 6 * types + chars + leap * (size + 4) + isstd + isut
        spells = [(0, *ttinfo[0][:2])] if not count or times[0] > 0 else []
        spells += [(t, *ttinfo[k][:2]) for t, k in zip(times, kinds, strict=True)]
    return [(EPOCH + timedelta(seconds=max(t, -(2**31))), off, bool(s)) for t, off, s in spells]


def _follow_rule(data: bytes, start: datetime, end: datetime) -> Iterator[Spell]:
    """What the rule in a TZif file's footer adds after its last transition."""
    zone = ZoneInfo.from_file(BytesIO(data))

    def state(instant: datetime) -> tuple[int, bool]:
        local = instant.astimezone(zone)
        offset, summer = local.utcoffset() or timedelta(0), bool(local.dst())
        return int(offset.total_seconds()), summer

    step, second = timedelta(days=7), timedelta(seconds=1)
    while start < end:
        low, high = start, start + step
        if state(low) != state(high):
            while high - low > second:
                middle = low + (high - low) // (2 * second) * second
                low, high = (middle, high) if state(middle) == state(low) else (low, middle)
            yield (high, *state(high))
        start += step


def _standard_times(spells: list[Spell]) -> list[tuple[str, Period]]:
    """The offset outside summer time since 1970; it holds on through the summers."""
    steps: list[tuple[datetime, int]] = []
    for start, offset, summer in spells:
        if not summer and (not steps or steps[-1][1] != offset):
            steps.append((max(start, EPOCH), offset))
    ends = [start for start, _ in steps[1:]] + [None]
    return [
        (_offset_name(offset), (start, end))
        for (start, offset), end in zip(steps, ends, strict=True)
        if end is None or start < end
    ]


def _offset_name(seconds: int) -> str:
    hours, rest = divmod(abs(seconds), 3600)
    name = f"UTC{'-' if seconds < 0 else '+'}{hours:02}:{rest // 60:02}"
    return name if rest % 60 == 0 else f"{name}:{rest % 60:02}"


def _summers(spells: list[Spell], until: datetime) -> Iterator[Period]:
    """The summers that begin from 2012 on and before `until`."""
    for i, (start, _, summer) in enumerate(spells):
        if summer and not (i and spells[i - 1][2]) and FIRST_SUMMER <= start < until:
            yield start, next((t for t, _, s in spells[i + 1 :] if not s), None)
