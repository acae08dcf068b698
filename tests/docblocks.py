"""The blocks of code of a page of docs, each with the line that it begins after."""

from __future__ import annotations

import re

__all__ = ["blocks", "run"]


def blocks(text, language="python"):
    """Yield line and code of each fenced block of a language, in order."""
    for found in re.finditer(rf"```{language}\n(.*?)```", text, re.DOTALL):
        yield text.count("\n", 0, found.start(1)), found[1]


def run(page, space):
    """Run a page's Python, block by block, in one space of names; tracebacks have its lines."""
    for line, block in blocks(page.read_text(encoding="utf-8")):
        exec(compile("\n" * line + block, str(page), "exec"), space)  # noqa: S102 - our own text
