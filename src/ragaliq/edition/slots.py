"""Slots: the typed facts of a template, and the values that each may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Any

import regex

from ragaliq.errors import InputError, listed, nearest
from ragaliq.io import read_text

# A number of a kind, minutes since midnight, a month and a day, or a text or key.
Value = Decimal | int | tuple[int, int] | str
_NAME = regex.compile(r"[a-z][a-z0-9_]*")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTE_STEP = 5


class SlotType(StrEnum):
    """What a slot holds; the last five are worked out from other slots."""

    NUMBER = "number"
    YEAR = "year"
    TIME = "time"
    DATE = "date"
    CODE = "code"
    WOMAN = "woman"
    MAN = "man"
    WEEKDAY = "weekday"
    COLOUR = "colour"
    SUM = "sum"
    DIFFERENCE = "difference"
    PRODUCT = "product"
    LATER = "later"
    EARLIER = "earlier"


DERIVED = (SlotType.SUM, SlotType.DIFFERENCE, SlotType.PRODUCT, SlotType.LATER, SlotType.EARLIER)
POOLED = (SlotType.WOMAN, SlotType.MAN, SlotType.WEEKDAY, SlotType.COLOUR)
_RANGED = (SlotType.NUMBER, SlotType.YEAR, SlotType.TIME, SlotType.DATE)
_KEYS = {
    **{kind: {"type", "value", "from", "to", "step", "differs", "above"} for kind in _RANGED},
    SlotType.CODE: {"type", "value", "pattern", "differs"},
    **{kind: {"type", "value", "differs"} for kind in (SlotType.WOMAN, SlotType.MAN)},
    **{kind: {"type", "value", "among", "differs"} for kind in (SlotType.WEEKDAY, SlotType.COLOUR)},
    **{kind: {"type", "of"} for kind in DERIVED},
}


@dataclass(frozen=True, slots=True)
class Slot:
    """One fact of a template.

    Attributes:
        chapter: the part of the template that defines it; within one no two people share a surname.
        value: what it holds in edition 0; None if it is derived.
        choices: what it may hold in another edition; empty for codes and people, which are made up as needed, and for
            derived slots.
        pattern: of a code: `#` is a digit, `@` a capital letter, all else itself.
        differs: slots whose value it never has.
        above: the slot that its value is always greater than; empty if there is none.
        operands: of a derived slot: slots, or numbers.
    """

    name: str
    chapter: str
    type: SlotType
    value: Value | None
    choices: tuple[Value, ...] = ()
    pattern: str = ""
    differs: tuple[str, ...] = ()
    above: str = ""
    operands: tuple[str | Decimal, ...] = ()


def read_slots(folder: Path) -> dict[str, Slot]:
    """Return the slots of a template's `slots/*.yaml`, by name.

    Raises:
        InputError: at a slot that is malformed, stands twice or names a slot that is not there; with file and key.
    """
    slots: dict[str, Slot] = {}
    for path in sorted((folder / "slots").glob("*.yaml")):
        for name, row in read_mapping(path).items():
            where = f"{path}: '{name}'"
            if name in slots:
                raise InputError(f"{where}: stands in '{slots[name].chapter}' already; slot names are unique")
            if not _NAME.fullmatch(name) or not isinstance(row, dict):
                raise InputError(f"{where}: a slot is NAME: {{type: …}}, its name of small letters, digits and _")
            slots[name] = _slot(name, path.stem, row, where)
    for slot in slots.values():
        for other in (*slot.differs, slot.above, *slot.operands):
            if isinstance(other, str) and other and other not in slots:
                raise InputError(f"{folder / 'slots' / slot.chapter}.yaml: '{slot.name}' names '{other}', no slot")
    return slots


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; an empty file holds an empty one.

    Raises:
        InputError: if it cannot be read or holds anything else.
    """
    import yaml

    try:
        data = yaml.load(read_text(path), yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{path}: not valid YAML ({' '.join(str(error).split())}); mend it") from None
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise InputError(f"{path}: a mapping of names is expected")
    return data


def suits_every_language(value: Decimal) -> bool:
    """Tell whether the words around a number stay right whichever such number it is.

    So it is for a whole number of at least 5 after which Russian takes the genitive plural, as after 5–20, 25–30,
    35–40 (CLDR's category `many`); and for a number with decimals, which CLDR calls `other`.
    """
    if value != value.to_integral_value():
        return True
    return value >= 5 and (value % 10 >= 5 or value % 10 == 0 or 11 <= value % 100 <= 14)


def _slot(name: str, chapter: str, row: Mapping[str, Any], where: str) -> Slot:
    if row.get("type") not in set(SlotType):
        raise InputError(f"{where}: unknown type {row.get('type')!r}; {listed(SlotType)}")
    kind = SlotType(row["type"])
    for key in row:
        if key not in _KEYS[kind]:
            raise InputError(f"{where}: unknown key '{key}'; {nearest(str(key), _KEYS[kind])}")
    if kind in DERIVED:
        return Slot(name, chapter, kind, None, operands=_operands(kind, row.get("of"), where))
    differs = row.get("differs", [])
    if not isinstance(differs, list) or not all(isinstance(other, str) for other in differs):
        raise InputError(f"{where}: 'differs' is a list of slots")
    value = _value(kind, row.get("value"), f"{where}: 'value'")
    pattern = str(row.get("pattern", ""))
    choices = _choices(kind, row, value, where)
    if kind is SlotType.CODE and not _fits(str(value), pattern):
        raise InputError(f"{where}: '{value}' does not fit the pattern '{pattern}' (# a digit, @ a capital letter)")
    return Slot(name, chapter, kind, value, choices, pattern, tuple(differs), str(row.get("above", "")))


def _operands(kind: SlotType, given: object, where: str) -> tuple[str | Decimal, ...]:
    if not isinstance(given, list) or len(given) < 2 or not all(isinstance(part, str | int | float) for part in given):
        raise InputError(f"{where}: 'of' is a list of two or more slots or numbers")
    if not any(isinstance(part, str) for part in given):
        raise InputError(f"{where}: 'of' names no slot")
    if len(given) > 2 and kind not in (SlotType.SUM, SlotType.PRODUCT):
        raise InputError(f"{where}: '{kind}' is of two slots")
    return tuple(part if isinstance(part, str) else Decimal(str(part)) for part in given)


def _choices(kind: SlotType, row: Mapping[str, Any], value: Value, where: str) -> tuple[Value, ...]:
    """Return what a slot may hold; edition 0's value is one of them.

    Raises:
        InputError: if the range is malformed, or leaves fewer than three values.
    """
    if kind in (SlotType.CODE, SlotType.WOMAN, SlotType.MAN):
        return ()
    if kind in (SlotType.WEEKDAY, SlotType.COLOUR):
        among = row.get("among")
        if among is not None and (not isinstance(among, list) or value not in among):
            raise InputError(f"{where}: 'among' is a list that holds the value")
        return tuple(among or ())
    low, high = (_value(kind, row.get(key), f"{where}: '{key}'") for key in ("from", "to"))
    choices = tuple(_range(kind, low, high, row.get("step")))
    if value not in choices or len(choices) < 3:
        raise InputError(
            f"{where}: {row['value']} is none of the {len(choices)} values that the range holds; whole numbers end in "
            "5–20 or in 0, 5–9, from 5 on; decimals are never whole; times keep the step (5 minutes)"
        )
    return choices


def _range(kind: SlotType, low: Any, high: Any, step: object) -> list[Value]:
    if kind is SlotType.DATE:
        days = [(month, day) for month in range(1, 13) for day in range(2, _DAYS[month - 1] + 1)]
        return [date for date in days if low <= date <= high]
    if kind is SlotType.TIME:
        by = int(str(step)) if step is not None else _MINUTE_STEP
        return [minute for minute in range(low, high + 1, by) if minute >= 120]
    by_decimal = Decimal(str(step)) if step is not None else Decimal(1)
    count = int((Decimal(high) - Decimal(low)) / by_decimal) + 1
    values = [Decimal(low) + by_decimal * place for place in range(count)]
    if kind is SlotType.YEAR:
        return [int(value) for value in values]
    if by_decimal != by_decimal.to_integral_value():
        return [value for value in values if value != value.to_integral_value()]
    return [value for value in values if suits_every_language(value)]


def _value(kind: SlotType, given: object, where: str) -> Value:
    """Return a value as it is compared; raises InputError if it has not the form of its type."""
    text = str(given)
    try:
        match kind:
            case SlotType.NUMBER:
                return Decimal(text)
            case SlotType.YEAR:
                return int(text)
            case SlotType.TIME:
                hour, minute = map(int, text.split(":"))
                if hour < 24 and minute < 60 and isinstance(given, str):
                    return 60 * hour + minute
            case SlotType.DATE:
                month, day = map(int, text.split("-"))
                if 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]:
                    return month, day
            case _:
                if given is not None and text:
                    return text
    except (ValueError, InvalidOperation):
        pass
    form = {SlotType.TIME: '"HH:MM" in quotes', SlotType.DATE: '"MM-DD"'}.get(kind, f"a {kind}")
    raise InputError(f"{where}: {form} is expected, not {given!r}")


def _fits(code: str, pattern: str) -> bool:
    signs: Sequence[str] = ["[0-9]" if c == "#" else "[A-Z]" if c == "@" else regex.escape(c) for c in pattern]
    return bool(pattern) and regex.fullmatch("".join(signs), code) is not None
