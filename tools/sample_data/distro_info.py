"""Debian and Ubuntu releases, as each version of distro-info-data dates them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from .feed import Snapshot
from .sources import git

Table = dict[str, dict[str, str]]
State = tuple[str, datetime, dict[str, Table]]

FILES = {"Debian": "debian.csv", "Ubuntu": "ubuntu.csv"}
PROGRAMMES = {
    "Debian": {"support": "eol", "LTS": "eol-lts", "ELTS": "eol-elts"},
    "Ubuntu": {"support": "eol", "ESM": "eol-esm", "Legacy Support": "eol-legacy"},
}
# Of the years after data version 0.60 only the last CSV files are at hand. These are the
# changelog entries that say when each of their new rows and cells came (see data/README.md).
LATER = {
    "0.58+deb12u2": "oracular potato.eol",
    "0.58+deb12u3": "plucky",
    "0.58+deb12u4": "questing duke",
    "0.58+deb12u5": "trixie.release trixie.eol trixie.eol-lts trixie.eol-elts forky.created"
    " trusty.eol-legacy xenial.eol-legacy bionic.eol-legacy focal.eol-legacy jammy.eol-legacy"
    " noble.eol-legacy",
    "0.58+deb12u6": "resolute bookworm.eol",
    "0.58+deb12u7": "stonking",
}


def snapshots(sources: Path) -> Iterator[Snapshot]:
    """One snapshot a data version, oldest first."""
    states = list(_states(sources))
    final = states[-1][2]
    for version, date, tables in states:
        snapshot = Snapshot(date, f"distro-info-data/{version}")
        for distribution, table in tables.items():
            releases = []
            for series, cells in table.items():
                # Some versions wrote Debian's numbers with the point release: take the last form.
                number = final[distribution][series]["version"].removesuffix(" LTS")
                releases.append((f"{distribution} {number}", cells | {"version": number}))
            _say_releases(snapshot, distribution, releases)
            if distribution == "Debian":
                _say_suites(snapshot, releases)
        yield snapshot


def _say_releases(
    snapshot: Snapshot, distribution: str, releases: list[tuple[str, dict[str, str]]]
) -> None:
    for i, (name, cells) in enumerate(releases):
        released = _day(cells["release"])
        if not released:
            continue
        key = (name, "release_of", distribution)
        snapshot.say(key, released, codename=cells["codename"])
        if i:
            snapshot.say((name, "succeeds", releases[i - 1][0]), released)
        if end := _day(cells.get("eol-server", "")):
            snapshot.say((name, "supported_by", "Ubuntu server support"), released, end)
        start: datetime | None = released
        for programme, column in PROGRAMMES[distribution].items():
            end = _day(cells.get(column, ""))
            if start and (end or programme == "support"):
                key = (name, "supported_by", f"{distribution} {programme}")
                snapshot.say(key, start, end)
            start = end


def _say_suites(snapshot: Snapshot, releases: list[tuple[str, dict[str, str]]]) -> None:
    """Which release Debian's stable, oldstable and testing are; derived from the release days."""
    days = [_day(cells["release"]) for _, cells in releases] + [None, None]
    created = [_day(cells["created"]) for _, cells in releases] + [None]
    for i, (name, cells) in enumerate(releases):
        number, start = float(cells["version"]), created[i]
        released, next_released = days[i], days[i + 1]
        if number >= 3 and released:
            snapshot.say(("Debian stable", "points_to", name), released, next_released)
            if next_released:
                key = ("Debian oldstable", "points_to", name)
                snapshot.say(key, next_released, days[i + 2])
        if number > 3 and start:
            end = released or created[i + 1]
            snapshot.say(("Debian testing", "points_to", name), start, end)


def _states(sources: Path) -> Iterator[State]:
    """Version, date and tables of each published data version."""
    repository = sources / "distro-info-data.git"
    tags = re.findall(r"^debian/0\.(\d+)$", git(repository, "tag"), re.MULTILINE)
    tables: dict[str, Table] = {}
    for number in sorted(map(int, tags)):
        if number < 7:  # 0.6 has months where later versions have days
            continue
        tag = f"debian/0.{number}"
        dates = _dates(git(repository, "show", f"{tag}:debian/changelog"))
        tables = {d: _table(git(repository, "show", f"{tag}:{f}")) for d, f in FILES.items()}
        yield f"0.{number}", dates[f"0.{number}"], tables
    (source,) = (p for p in sources.glob("distro-info-data_*") if p.is_dir())
    final = {d: _table((source / f).read_text(encoding="utf-8")) for d, f in FILES.items()}
    dates = _dates((source / "debian/changelog").read_text(encoding="utf-8"))
    for version, news in sorted(LATER.items()):
        tables = deepcopy(tables)
        for distribution, table in final.items():
            for series, cells in table.items():
                if series in news.split():
                    tables[distribution][series] = cells
                for column in cells:
                    if f"{series}.{column}" in news.split():
                        tables[distribution][series][column] = cells[column]
        yield version, dates[version], tables
    if [_filled(t) for t in tables.values()] != [_filled(t) for t in final.values()]:
        raise SystemExit("LATER does not lead to the CSV files of the source package: mend it")


def _table(text: str) -> Table:
    rows = csv.DictReader(io.StringIO(text))
    return {row["series"]: {k: v or "" for k, v in row.items()} for row in rows if row["version"]}


def _filled(table: Table) -> Table:
    return {series: {k: v for k, v in cells.items() if v} for series, cells in table.items()}


def _dates(changelog: str) -> dict[str, datetime]:
    """Version to date of each entry of a debian/changelog."""
    entry = r"^[a-z-]+ \(([^)]+)\).*?^ -- [^\n]*>  ([^\n]+)"
    found = re.findall(entry, changelog, re.MULTILINE | re.DOTALL)
    return {version: parsedate_to_datetime(date).astimezone(UTC) for version, date in found}


def _day(text: str) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None
