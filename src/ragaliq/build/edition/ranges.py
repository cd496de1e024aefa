"""Ranges: the values that a slot with `from`, `to` and `step` may take."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from ragaliq.errors import InputError

# A number of a kind, minutes since midnight, a month and a day, or a text or key.
Value = Decimal | int | tuple[int, int] | str
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MINUTE_STEP = 5
# Minutes. Spanish and others ask for another word beside 1:00; no time is before 2:00.
FIRST_MINUTE, DAY = 120, 24 * 60
# CLDR's pattern for numbers writes three decimals.
_PLACES = 3
_MOST = 100_000


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


RANGED = (SlotType.NUMBER, SlotType.YEAR, SlotType.TIME, SlotType.DATE)


def choices_between(kind: SlotType, row: Mapping[str, Any], value: Value, where: str) -> tuple[Value, ...]:
    """Return what a slot of a ranged type may hold; edition 0's value is one of them.

    Dates begin with the second of a month and times at 2:00, so that no language needs another word beside them.

    Raises:
        InputError: if the range is malformed, leaves fewer than three values, or holds too many.
    """
    low, high = (read_value(kind, row.get(key), f"{where}: '{key}'") for key in ("from", "to"))
    step = _step(kind, row.get("step"), where)
    if isinstance(low, tuple) or isinstance(high, tuple):
        days = [(month, day) for month in range(1, 13) for day in range(2, _DAYS[month - 1] + 1)]
        choices: tuple[Value, ...] = tuple(date for date in days if low <= date <= high)  # type: ignore[operator]
    else:
        choices = tuple(_numbers(kind, Decimal(low), Decimal(high), step, where))
    if value not in choices or len(choices) < 3:
        raise InputError(
            f"{where}: {row['value']} is none of the {len(choices)} values that the range holds, or these are fewer "
            "than three; whole numbers end in 5–20 or in 0, 5–9, from 5 on; decimals are never whole; times keep the "
            "step (5 minutes) and begin at 02:00, dates with the second"
        )
    return choices


def suits_every_language(value: Decimal) -> bool:
    """Return whether the words around a number stay right whichever such number it is.

    So it is for a whole number of at least 5 after which Russian takes the genitive plural, as after 5–20, 25–30,
    35–40 (CLDR's category `many`); and for a number with decimals, which CLDR calls `other`.
    """
    if value != value.to_integral_value():
        return True
    return value >= 5 and (value % 10 >= 5 or value % 10 == 0 or 11 <= value % 100 <= 14)


def _step(kind: SlotType, given: object, where: str) -> Decimal:
    if given is None:
        return Decimal(_MINUTE_STEP if kind is SlotType.TIME else 1)
    try:
        step = Decimal(str(given))
    except InvalidOperation:
        step = Decimal(0)
    if not step.is_finite() or step <= 0 or kind is SlotType.DATE:
        raise InputError(f"{where}: 'step' is a number above 0, and dates have none; not {given!r}")
    if kind is not SlotType.NUMBER and step != step.to_integral_value():
        raise InputError(f"{where}: the step of a {kind} is a whole number, not {given!r}")
    return step


def _numbers(kind: SlotType, low: Decimal, high: Decimal, step: Decimal, where: str) -> list[Value]:
    count = int((high - low) / step) + 1
    if count > _MOST:
        raise InputError(f"{where}: the range holds {count} values; {_MOST} are the most")
    values = [low + step * place for place in range(count)]
    if any(value != round(value, _PLACES) for value in values):
        raise InputError(f"{where}: more than {_PLACES} decimals, which no text would show; round 'from' and 'step'")
    if kind is SlotType.TIME:
        return [int(value) for value in values if value >= FIRST_MINUTE]
    if kind is SlotType.YEAR:
        return [int(value) for value in values]
    if step != step.to_integral_value():
        return [value for value in values if value != value.to_integral_value()]
    return [value for value in values if suits_every_language(value)]


def read_value(kind: SlotType, given: object, where: str) -> Value:
    """Return a value as it is compared."""
    text = str(given)
    try:
        match kind:
            case SlotType.NUMBER:
                number = Decimal(text)
                if number.is_finite() and number >= 0:
                    return number
            case SlotType.YEAR:
                return int(text)
            case SlotType.TIME:
                hour, minute = map(int, text.split(":"))
                if 0 <= hour < 24 and 0 <= minute < 60 and isinstance(given, str):
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
