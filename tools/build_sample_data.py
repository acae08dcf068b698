"""Build the sample data of data/ from public packages.

    python tools/build_sample_data.py SOURCES [--fetch] [--out data]

SOURCES is a folder with wheels/*.whl (pytz, tzdata), tzdata_*.deb, an unpacked
distro-info-data_*/, distro-info-data.git and peps.git; --fetch fills it (pip, git, and apt-get on
Debian 12 with deb-src lines). Needs pyarrow, git and dpkg-deb. The same sources and the same
pyarrow give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from sample_data import distro_info, feed, peps, sources, tz

INSTANTS = {"valid_from", "valid_to", "recorded_at"}


def main() -> None:
    """Parse the arguments, read the sources, write the files."""
    parser = argparse.ArgumentParser(description="Build the sample data of data/.")
    parser.add_argument("sources", type=Path, help="folder with the sources")
    parser.add_argument("--fetch", action="store_true", help="fill that folder first")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "data")
    options = parser.parse_args()
    if options.fetch:
        sources.fetch(options.sources)

    rows = [*feed.changes(distro_info.snapshots(options.sources))]
    rows += feed.changes(tz.snapshots(options.sources))
    rows.sort(key=lambda row: str(row["recorded_at"]))  # stable: one instant keeps its order
    write_csv(options.out / "lifetimes.csv", feed.COLUMNS, rows)
    write_parquet(options.out / "lifetimes.parquet", rows)
    write_csv(options.out / "lifetimes_entities.csv", ["name", "type"], entities(rows))
    write_csv(options.out / "relays.csv", peps.COLUMNS, peps.relays(options.sources))


def entities(rows: Iterable[feed.Row]) -> list[feed.Row]:
    """Every name with its type."""
    ends = (("from", "fromEntityType"), ("to", "toEntityType"))
    types = {(str(row[name]), str(row[kind])) for row in rows for name, kind in ends}
    return [{"name": name, "type": kind} for name, kind in sorted(types)]


def write_csv(path: Path, columns: list[str], rows: Iterable[feed.Row]) -> None:
    """UTF-8, line feeds, an empty cell for what is open or not given."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _cell(name, value) for name, value in row.items()})


def write_parquet(path: Path, rows: list[feed.Row]) -> None:
    """The same rows with instants as timestamps."""
    instant = pa.timestamp("us", tz="UTC")
    schema = pa.schema([(c, instant if c in INSTANTS else pa.string()) for c in feed.COLUMNS])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")


def _cell(name: str, value: str | datetime | None) -> str | None:
    """An instant as RFC 3339; midnight of a valid period as a bare date."""
    if not isinstance(value, datetime):
        return value
    text = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return text.removesuffix("T00:00:00Z") if name.startswith("valid_") else text


if __name__ == "__main__":
    main()
