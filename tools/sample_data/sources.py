"""Where the sources come from, and how they are opened."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
from pathlib import Path

DISTRO_SOURCE = "distro-info-data=0.58+deb12u7"
REPOSITORIES = {
    "distro-info-data.git": "https://github.com/alvistack/debian-distro-info-data",
    "peps.git": "https://github.com/python/peps",
}
WHEELS = {
    "pytz": "2014.9 2014.10 2015.2 2015.4 2015.6 2015.7 2016.1 2016.2 2016.3 2016.4 2016.6.1 "
    "2016.7 2016.10 2017.2 2017.3 2018.3 2018.4 2018.5 2018.6 2018.7 2018.9 2019.1 2019.2 2019.3",
    "tzdata": "2020.1 2020.2 2020.3 2020.4 2020.5 2021.1 2021.2.post0 2021.3 2021.4 2021.5 2022.1 "
    "2022.2 2022.3 2022.4 2022.5 2022.6 2022.7 2023.1 2023.2 2023.3 2023.4 2024.1 2024.2 2025.1 "
    "2025.2 2025.3 2026.1 2026.2 2026.3 2026.4 2026.5 2026.6",
}


def fetch(folder: Path) -> None:
    """Fill `folder` from PyPI, Debian 12 (with deb-src lines) and GitHub."""
    (folder / "wheels").mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    for project, versions in WHEELS.items():
        for version in versions.split():
            _run(folder / "wheels", *pip, f"{project}=={version}")
    for name, url in REPOSITORIES.items():
        _run(folder, "git", "clone", "--bare", url, name)
    _run(folder, "apt-get", "download", "tzdata")
    _run(folder, "apt-get", "source", "--download-only", DISTRO_SOURCE)
    (description,) = folder.glob("distro-info-data_*.dsc")
    _run(folder, "dpkg-source", "-x", description.name, description.stem)


def git(repository: Path, *arguments: str) -> str:
    """What a git command prints."""
    return _run(repository, "git", *arguments).decode("utf-8", "replace")


def tz_news(folder: Path) -> str:
    """The NEWS file of the tz database, which Debian's tzdata ships as its changelog."""
    (package,) = folder.glob("tzdata_*.deb")
    tar = _run(folder, "dpkg-deb", "--fsys-tarfile", package.name)
    with tarfile.open(fileobj=io.BytesIO(tar)) as files:
        news = files.extractfile("./usr/share/doc/tzdata/changelog.gz")
        if news is None:
            raise SystemExit(f"{package.name} has no changelog.gz")
        return gzip.decompress(news.read()).decode("utf-8")


def _run(folder: Path, *command: str) -> bytes:
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
