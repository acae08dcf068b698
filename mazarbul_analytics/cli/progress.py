"""A progress bar on stderr, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Progress", "bar"]

Progress = Callable[[int, int], None]
"""Called with the bytes that are read so far, and those of all files."""


@contextmanager
def bar() -> Iterator[Progress | None]:
    """Yield what an import calls to show its progress; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Bar(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        task = progress.add_task("reading", total=None)

        def show(done: int, total: int) -> None:
            # past the last byte rows are decided and written, for which there is no measure
            whole = done >= total
            progress.update(
                task,
                description="deciding and writing" if whole else "reading",
                completed=done,
                total=None if whole else total,
            )

        yield show
