"""Show the tour of the README on a store of the sample data: `make demo`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import console

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Make the folder anew, run the README's commands in it, and show what they answer."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "data").symlink_to(ROOT / "data")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tour = readme.split("<!-- tour -->")[1]
    for step in console.steps(tour):
        print(f"$ {step.command}")
        shown, code = console.run(step.command, folder)
        print(shown, flush=True)
        if code:
            print(f"the command ended with exit code {code}", file=sys.stderr)
            return 1
    print(f"The store is {folder / 'mazarbul-store'}; ask it more: see README.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
