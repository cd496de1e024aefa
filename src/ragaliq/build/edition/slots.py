"""Slots: the typed facts of a template, and the values that each may take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import regex

from ragaliq.build.edition.ranges import DAY, FIRST_MINUTE, RANGED, SlotType, Value, choices_between, read_value
from ragaliq.errors import InputError, listed, nearest
from ragaliq.storage.yaml_files import read_mapping

_NAME = regex.compile(r"[a-z][a-z0-9_]*")

MOVED = (SlotType.LATER, SlotType.EARLIER)
CALCULATED = (SlotType.SUM, SlotType.DIFFERENCE, SlotType.PRODUCT)
DERIVED = (*CALCULATED, *MOVED)
PEOPLE = (SlotType.WOMAN, SlotType.MAN)
POOLED = (*PEOPLE, SlotType.WEEKDAY, SlotType.COLOUR)
_KEYS = {
    **{kind: {"type", "value", "from", "to", "step", "differs", "above"} for kind in RANGED},
    SlotType.CODE: {"type", "value", "pattern", "differs"},
    **{kind: {"type", "value", "differs"} for kind in PEOPLE},
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
    """Return the slots of a template's `slots/*.yaml`, by name."""
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
        _check_kinds(slot, slots, f"{folder / 'slots' / slot.chapter}.yaml: '{slot.name}'")
    return slots


def check_keys(row: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse a key that is not known, with the nearest one that is."""
    for key in row:
        if key not in known:
            raise InputError(f"{where}: unknown key '{key}'; {nearest(str(key), known)}")


def _check_kinds(slot: Slot, slots: Mapping[str, Slot], where: str) -> None:
    """Refuse what cannot be worked out or compared.

    Numbers are added, subtracted and multiplied; of times or years only the difference is taken (of times in minutes);
    `later` and `earlier` move a time by a whole number of minutes. `above` and `differs` hold slots of one kind apart.
    """
    if slot.name in (*slot.differs, slot.above, *slot.operands):
        raise InputError(f"{where}: names itself")
    kinds = [_kind(slots[part]) if isinstance(part, str) else "number" for part in slot.operands]
    if slot.type in MOVED:
        if kinds != ["time", "number"]:
            raise InputError(f"{where}: '{slot.type}' is of a time and a number of minutes")
        _check_moved(slot, slots, where)
    elif set(kinds) - {"number"} and not (slot.type is SlotType.DIFFERENCE and kinds in (["time"] * 2, ["year"] * 2)):
        raise InputError(f"{where}: '{slot.type}' is of numbers (a difference also of two times, or two years)")
    for other in filter(None, (*slot.differs, slot.above)):
        if _kind(slots[other]) != _kind(slot):
            raise InputError(
                f"{where}: '{other}' is a {_kind(slots[other])}, no {_kind(slot)}; slots of one kind are held apart"
            )


def _check_moved(slot: Slot, slots: Mapping[str, Slot], where: str) -> None:
    """Refuse ranges that ever move a time before 2:00 or past midnight; of derived parts only a draw tells."""
    times, minutes = (slots[part].choices if isinstance(part, str) else (part,) for part in slot.operands)
    if not times or not minutes:
        return
    if any(Decimal(str(number)) % 1 for number in minutes):
        raise InputError(f"{where}: a time is moved by whole minutes")
    sign = 1 if slot.type is SlotType.LATER else -1
    moved = [int(str(time)) + sign * int(str(number)) for time in times for number in minutes]
    if min(moved) < FIRST_MINUTE or max(moved) >= DAY:
        raise InputError(f"{where}: falls before 02:00 or past midnight in some edition; narrow the ranges")


def _kind(slot: Slot) -> str:
    """Return what a slot's value is: slots of one kind can be compared."""
    if slot.type in MOVED:
        return "time"
    return "number" if slot.type in DERIVED else str(slot.type)


def _slot(name: str, chapter: str, row: Mapping[str, Any], where: str) -> Slot:
    if row.get("type") not in list(SlotType):
        raise InputError(f"{where}: unknown type {row.get('type')!r}; {listed(SlotType)}")
    kind = SlotType(row["type"])
    check_keys(row, _KEYS[kind], where)
    if kind in DERIVED:
        return Slot(name, chapter, kind, None, operands=_operands(kind, row.get("of"), where))
    differs = row.get("differs", [])
    if not isinstance(differs, list) or not all(isinstance(other, str) for other in differs):
        raise InputError(f"{where}: 'differs' is a list of slots")
    value = read_value(kind, row.get("value"), f"{where}: 'value'")
    pattern = str(row.get("pattern", ""))
    choices: tuple[Value, ...] = ()
    if kind in RANGED:
        choices = choices_between(kind, row, value, where)
        # 1E+3 is written as the range writes it.
        value = choices[choices.index(value)]
    elif row.get("among") is not None:
        choices = _among(row["among"], value, where)
    if kind is SlotType.CODE and not _fits(str(value), pattern):
        raise InputError(f"{where}: '{value}' does not fit the pattern '{pattern}' (# a digit, @ a capital letter)")
    return Slot(name, chapter, kind, value, choices, pattern, tuple(differs), str(row.get("above", "")))


def _operands(kind: SlotType, given: object, where: str) -> tuple[str | Decimal, ...]:
    if not isinstance(given, list) or len(given) < 2 or not all(map(_is_operand, given)):
        raise InputError(f"{where}: 'of' is a list of two or more slots or numbers")
    if not any(isinstance(part, str) for part in given):
        raise InputError(f"{where}: 'of' names no slot")
    if len(given) > 2 and kind not in (SlotType.SUM, SlotType.PRODUCT):
        raise InputError(f"{where}: '{kind}' is of two slots")
    return tuple(part if isinstance(part, str) else Decimal(str(part)) for part in given)


def _is_operand(part: object) -> bool:
    return isinstance(part, str) or (type(part) in (int, float) and Decimal(str(part)).is_finite())


def _among(given: object, value: Value, where: str) -> tuple[Value, ...]:
    if not isinstance(given, list) or not all(isinstance(key, str) for key in given) or value not in given:
        raise InputError(f"{where}: 'among' is a list of words of the pool that holds the value")
    if len(set(given)) < 3:
        raise InputError(f"{where}: 'among' leaves fewer than three words; an edition and its wrong values need others")
    return tuple(dict.fromkeys(given))


def _fits(code: str, pattern: str) -> bool:
    signs = ["[0-9]" if c == "#" else "[A-Z]" if c == "@" else regex.escape(c) for c in pattern]
    return bool(pattern) and regex.fullmatch("".join(signs), code) is not None
