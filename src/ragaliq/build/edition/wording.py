"""Wording: a slot's value as each language writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragaliq.build.edition.ranges import SlotType, Value
from ragaliq.build.edition.slots import CALCULATED, MOVED, PEOPLE, POOLED, Slot
from ragaliq.errors import InputError, listed
from ragaliq.storage.yaml_files import read_mapping

if TYPE_CHECKING:
    from babel import Locale

# The form that a text means which names none.
PLAIN = "name"
POOLS = ("weekday", "colour", "woman", "man", "surname")
# Whose conventions a language follows; others follow their own code.
_LOCALES = {"en": "en_GB", "zh": "zh_Hans_CN"}
# Plural categories in the order in which a text lists its forms; CLDR's `other` is that of the last, in Slavic
# languages, where it is for decimals, of the genitive singular (`few`).
_PLACES = {2: {"one": 0}, 3: {"one": 0, "few": 1, "many": 2, "other": 1}}


@dataclass(frozen=True, slots=True)
class Wording:
    """How one language writes values: its locale and its pools, each word with its forms."""

    lang: str
    pools: Mapping[str, Mapping[str, Mapping[str, str]]]

    def write(self, slot: Slot, value: Value, form: str = "") -> str:
        """Return a value in a form: of a person `last`, `first` or a case, as in `last-gen`; of a word one of its pool.

        Numbers, times (24 hours) and dates (day and month) follow CLDR.

        Raises:
            ValueError: if the language has no such form.
        """
        if slot.type in PEOPLE:
            return self._person(slot.type, str(value), form)
        if slot.type in POOLED:
            return self._form(slot.type, str(value), form or PLAIN)
        if form:
            raise ValueError(f"a {slot.type} has no form '{form}'")
        if slot.type is SlotType.CODE or slot.type is SlotType.YEAR:
            return str(value)
        if slot.type is SlotType.DATE and isinstance(value, tuple):
            return _date(self.lang, value)
        if slot.type in (SlotType.TIME, *MOVED):
            return _time(self.lang, int(str(value)))
        return _number(self.lang, Decimal(str(value)))

    def counted(self, slot: Slot, value: Value, forms: list[str]) -> str:
        """Return a number and the word that it counts, in the form that CLDR's plural rules choose.

        Raises:
            ValueError: if the slot holds no number, or the forms are not as many as the language needs.
        """
        if slot.type not in (SlotType.NUMBER, *CALCULATED):
            raise ValueError("plural forms follow a number")
        plural = locale(self.lang).plural_form
        wanted = 3 if "few" in plural.tags else 2
        if len(forms) != wanted:
            raise ValueError(f"'{self.lang}' has {wanted} plural forms")
        number = Decimal(str(value))
        if number == number.to_integral_value():
            # CLDR counts 5.0 as a decimal; it is written 5.
            number = number.quantize(Decimal(1))
        place = _PLACES[wanted].get(plural(number), wanted - 1)
        return f"{_number(self.lang, number)} {forms[place]}"

    def _person(self, kind: SlotType, name: str, form: str) -> str:
        first, _, last = name.rpartition(" ")
        part, _, case = form.partition("-")
        if part not in ("first", "last", ""):
            part, case = "", form
        # A woman's foreign surname does not inflect.
        surname = self._form("surname", last, (case or PLAIN) if kind is SlotType.MAN else PLAIN)
        given = self._form(kind, first, case or PLAIN)
        joint = "·" if self.lang == "zh" else " "
        return {"first": given, "last": surname}.get(part, f"{given}{joint}{surname}")

    def _form(self, pool: str, key: str, form: str) -> str:
        forms = self.pools[pool].get(key)
        if forms is None:
            raise ValueError(f"'{key}' is not in the pool '{pool}' of '{self.lang}'")
        if form not in forms:
            raise ValueError(f"'{key}' has no form '{form}' in '{self.lang}'; {listed(forms)}")
        return forms[form]


def read_wording(folder: Path, lang: str) -> Wording:
    """Return how a language writes values, from `LANG/pools.yaml` of a template."""
    path = folder / lang / "pools.yaml"
    pools = read_mapping(path)
    for name in POOLS:
        words = pools.get(name)
        if not isinstance(words, dict) or not all(
            isinstance(key, str) and isinstance(forms, dict) and PLAIN in forms and all(map(_is_text, forms.values()))
            for key, forms in words.items()
        ):
            raise InputError(f"{path}: '{name}' must map each word to its forms, 'name' among them, each a text")
    return Wording(lang, pools)


def _is_text(form: object) -> bool:
    return isinstance(form, str) and bool(form)


@cache
def locale(lang: str) -> Locale:
    """Return the CLDR locale of a language: British English, Chinese in simplified letters.

    Raises:
        InputError: if CLDR knows no such language.
    """
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(_LOCALES.get(lang, lang.replace("-", "_")))
    except (UnknownLocaleError, ValueError):
        raise InputError(f"language '{lang}': CLDR knows none of this code") from None


def _number(lang: str, value: Decimal) -> str:
    from babel.numbers import format_decimal

    if value != round(value, 3):
        # CLDR's pattern would round it.
        raise ValueError(f"{value} has more than three decimals")
    return str(format_decimal(value, locale=locale(lang)))


def _time(lang: str, minutes: int) -> str:
    from datetime import time

    from babel.dates import format_skeleton

    return str(format_skeleton("Hm", time(*divmod(minutes, 60)), locale=locale(lang)))


def _date(lang: str, value: tuple[int, int]) -> str:
    from datetime import date

    from babel.dates import format_skeleton

    # Any year without a leap day.
    return str(format_skeleton("MMMMd", date(2031, *value), locale=locale(lang)))
