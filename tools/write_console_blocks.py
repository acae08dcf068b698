"""Write the outputs of the console blocks of README.md anew: part of `make docs`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import console

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Run all commands of the file in one new folder and write what they print into it."""
    readme = ROOT / "README.md"
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "data").symlink_to(ROOT / "data")
        text = console.refreshed(readme.read_text(encoding="utf-8"), Path(name))
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
