"""Make an empty store, with the settings it keeps."""

from __future__ import annotations

from pathlib import Path

from mazarbul_analytics.door import catalog
from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.relayids import FIRST_SETTING, FORM_SETTING, IdForm
from mazarbul_analytics.tables import commits, layout, snapshots
from mazarbul_analytics.writing.session import refuse_when_disabled

__all__ = ["ensure"]


def ensure(root: Path, *, relay_id_form: str | None = None, relay_first: int | None = None) -> None:
    """Make an empty store with its door where there is none.

    Raises `InvalidValue` for a form that is none, or for another than a store that is there has.
    """
    if not layout.exists(root):
        _create(root, relay_id_form, relay_first)
    elif relay_id_form is not None or relay_first is not None:
        _refuse_other_form(root, relay_id_form, relay_first)


def _create(root: Path, relay_id_form: str | None, relay_first: int | None) -> None:
    refuse_when_disabled()
    settings: dict[str, str] = {}
    if relay_id_form is not None:
        settings[FORM_SETTING] = _relay_form(relay_id_form)
    if relay_first is not None:
        if relay_first < 0:
            raise InvalidValue(
                f"the first relay number is 0 or more: {relay_first}", value=relay_first
            )
        settings[FIRST_SETTING] = str(relay_first)
    commits.create(root, settings)
    catalog.build(snapshots.snapshot(root))


def _refuse_other_form(root: Path, relay_id_form: str | None, relay_first: int | None) -> None:
    """Raise `InvalidValue` where a store that is there has another form of ids than asked for."""
    settings = snapshots.table(root, "relays").settings
    held = IdForm.of(settings)
    if relay_id_form not in (None, str(held)) or relay_first not in (None, held.first):
        first = "" if held.first is None else f" from {held.first} on"
        raise InvalidValue(
            f"the store at {root} has relay ids of the form {held}{first}, and keeps it\n"
            "Leave the option out, or make another store.",
            value=relay_id_form or relay_first,
            reason="bad_id",
        )


MOST_DIGITS = 18
"""More would not fit a whole number of the engine."""


def _relay_form(text: str) -> str:
    prefix = text.rstrip("#")
    digits = len(text) - len(prefix)
    if (
        not prefix
        or not 1 <= digits <= MOST_DIGITS
        or "#" in prefix
        or any(c.isspace() for c in prefix)
    ):
        raise InvalidValue(
            f"not a form of relay ids: {text!r}\nWrite a prefix and a # for each digit: relay-####",
            value=text,
            reason="bad_id",
        )
    return text
