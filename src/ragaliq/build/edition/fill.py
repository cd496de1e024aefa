"""Filling: a text of a template with its slots replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import regex

from ragaliq.build.edition.draw import Facts
from ragaliq.build.edition.slots import Slot
from ragaliq.build.edition.wording import Wording
from ragaliq.errors import InputError, nearest

# {name}, {name:form}, {name|one|many}; ^ before the name raises the first letter, ~ takes a wrong value.
_FIELD = regex.compile(
    r"\{(?P<signs>\^~|~\^|[\^~]?)(?P<name>[a-z][a-z0-9_]*)(?::(?P<form>[a-z-]+))?(?P<forms>(?:\|[^{}|]+)*)\}"
)
_BRACE = regex.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills the texts of one language with the facts of one edition."""

    slots: Mapping[str, Slot]
    facts: Facts
    wording: Wording

    def fill(self, text: str, where: str) -> str:
        """Return the text with every slot written out."""
        stray = _BRACE.search(_FIELD.sub("", text))
        if stray:
            raise InputError(f"{where}: a brace that belongs to no slot; write {{name}}, {{name:form}} or {{name|…|…}}")
        return _FIELD.sub(lambda field: self._written(field, where), text)

    def _written(self, field: regex.Match[str], where: str) -> str:
        name, form, signs = field["name"], field["form"] or "", field["signs"]
        if name not in self.slots:
            raise InputError(f"{where}: '{{{name}}}' is no slot; {nearest(name, self.slots)}")
        slot = self.slots[name]
        value = (self.facts.wrong if "~" in signs else self.facts.right)[name]
        forms = field["forms"].split("|")[1:]
        if form and forms:
            raise InputError(f"{where}: '{field[0]}' names a form and lists forms; write one of the two")
        try:
            written = self.wording.counted(slot, value, forms) if forms else self.wording.write(slot, value, form)
        except ValueError as error:
            raise InputError(f"{where}: '{field[0]}': {error}") from None
        return written[:1].upper() + written[1:] if "^" in signs else written
