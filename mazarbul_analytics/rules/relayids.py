"""Ids of relays: a store's one form, and the numbers in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mazarbul_analytics.errors import InvalidValue

__all__ = ["DEFAULT_FORM", "FIRST_SETTING", "FORM_SETTING", "IdForm"]

DEFAULT_FORM = "relay-####"
FORM_SETTING = "mazarbul.relayIdForm"
FIRST_SETTING = "mazarbul.relayFirst"
"""Where the metadata of a store's tables keep the form and the declared first number."""

_SHOWN = 80


@dataclass(frozen=True)
class IdForm:
    """The form of a store's own relay ids: `prefix`, then exactly `digits` digits.

    String order is issue order only while ids are of one width, so no other width is of the form.
    `first` is the declared first number, None where none was declared.
    """

    prefix: str
    digits: int
    first: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> IdForm:
        """Return the form that a store's settings declare."""
        text = settings.get(FORM_SETTING, DEFAULT_FORM)
        prefix = text.rstrip("#")
        first = settings.get(FIRST_SETTING)
        return cls(prefix, len(text) - len(prefix), None if first is None else int(first))

    def __str__(self) -> str:
        return self.prefix + "#" * self.digits

    @property
    def pattern(self) -> str:
        """The form as a regular expression for a whole id."""
        return f"^{re.escape(self.prefix)}[0-9]{{{self.digits}}}$"

    def fits(self, relay_id: str) -> bool:
        """Tell whether an id is of the form; letters are matched literally."""
        number = relay_id.removeprefix(self.prefix)
        return (
            relay_id.startswith(self.prefix)
            and len(number) == self.digits
            and number.isascii()
            and number.isdigit()
        )

    def check(self, relay_id: str) -> str:
        """Return an id of the form, or raise `InvalidValue` (`bad_id`) with the reason."""
        if self.fits(relay_id):
            return relay_id
        number = relay_id.removeprefix(self.prefix)
        why = f"is not of this store's form {self}"
        if relay_id.startswith(self.prefix) and number.isascii() and number.isdigit():
            why = (
                f"has {len(number)} digits, this store's ids have {self.digits} ({self}): "
                "their string order is their order of issue only at one width"
            )
        raise InvalidValue(f"{relay_id[:_SHOWN]!r} {why}", value=relay_id, reason="bad_id")

    def number(self, relay_id: str) -> int:
        """Return the number in an id of the form."""
        return int(self.check(relay_id).removeprefix(self.prefix))

    def id(self, number: int) -> str:
        """Return the id of a number. Raises `InvalidValue` where it has too many digits."""
        text = f"{number:0{self.digits}d}"
        if number < 0 or len(text) > self.digits:
            raise InvalidValue(
                f"no id of the form {self} is left for number {number}\n"
                "Make a store with a wider form: mazarbul init --relay-id-form.",
                value=number,
                reason="bad_id",
            )
        return self.prefix + text
