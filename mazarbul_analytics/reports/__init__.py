"""The faces of a gap report: pure functions of a `GapReport`, none of which decides anything."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mazarbul_analytics.relays.gaps import GapReport

__all__ = ["FORMS", "render"]

FORMS = {
    "text": "text",
    "json": "jsonform",
    "markdown": "markdown",
    "html": "htmlpage",
    "prometheus": "prometheus",
}
"""The forms that are text, and the module here that writes each."""


def render(report: GapReport, form: str) -> str:
    """Return a report in one of `FORMS`, with no line end after its last line."""
    module = import_module(f"{__name__}.{FORMS[form]}")
    write: Callable[[GapReport], str] = module.render
    return write(report)
