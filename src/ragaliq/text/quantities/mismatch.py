"""What one of two texts states and the other lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import eq

from ragaliq.text.quantities.mentions import Mention, Quantity, Strictness

# Said again or not: what counts is that a text names them.
_SETS = ("month", "weekday", "name")


def unmatched_mentions(one: Sequence[Mention], two: Sequence[Mention]) -> tuple[list[str], list[str]]:
    """Return the texts of the mentions on each side that the other side lacks, in reading order.

    Numbers, times and dates are compared as multisets, months, weekdays and names as sets. What one side only says once
    more than the other ("until 20:00 …; after 20:00" for "until 20:00 …; after that") is not returned, unless the other
    side has something left over, too. A number whose unit is known on both sides must have the same. Spelled-out
    numbers may stand for digits and are never missed; where each side has one that the other lacks, both are returned.
    """
    here, there = unmatched(one, two)
    return _texts(here), _texts(there)


def unmatched(one: Sequence[Mention], two: Sequence[Mention]) -> tuple[list[Stated], list[Stated]]:
    """Return the values on each side that the other side lacks; see `unmatched_mentions`."""
    stated = _resolved(one, _pool(two))
    # Where both can be read in several ways, the second follows the first.
    left = _unmatched(stated, _resolved(two, Counter((each.quantity.kind, each.quantity.value) for each in stated)))
    spelled = [{each.quantity.kind for each in side if each.strictness is Strictness.SPELLED} for side in left]
    here, there = ([e for e in side if not e.strictness or e.quantity.kind in spelled[0] & spelled[1]] for side in left)
    if not (here and there):
        here, there = _not_repeated(here, two), _not_repeated(there, one)
    return here or _same_kind(left[0], there), there or _same_kind(left[1], here)


def _same_kind(left: list[Stated], others: list[Stated]) -> list[Stated]:
    """Return what a side says in words where the other lacks a partner, so that both are told."""
    return [
        each for each in left if each.strictness and each.quantity.kind in {other.quantity.kind for other in others}
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """One quantity of a side, with where it comes from; equal to itself alone."""

    quantity: Quantity
    strictness: Strictness
    text: str
    place: int


def _pool(mentions: Iterable[Mention]) -> Counter[tuple[str, str]]:
    """Return every value that a side may state, with how often at most.

    A further reading of several values does not count: two numbers with the same groups of digits would agree.
    """
    pool: Counter[tuple[str, str]] = Counter()
    for each in mentions:
        most: Counter[tuple[str, str]] = Counter()
        for reading in (each.readings[0], *(other for other in each.readings[1:] if len(other) == 1)):
            most |= Counter((quantity.kind, quantity.value) for quantity in reading)
        pool += most
    return pool


def _resolved(mentions: Sequence[Mention], pool: Counter[tuple[str, str]]) -> list[Stated]:
    """Return the quantities of a side, of each mention in the first reading that the other side may state too."""
    rest = pool.copy()
    stated = []
    for place, each in enumerate(mentions):
        chosen = each.readings[0]
        if len(each.readings) > 1:
            for reading in each.readings:
                needed = Counter((quantity.kind, quantity.value) for quantity in reading)
                if needed <= rest:
                    chosen = reading
                    rest -= needed
                    break
        stated += [Stated(quantity, each.strictness, each.text, place) for quantity in chosen]
    return stated


def _unmatched(one: list[Stated], two: list[Stated]) -> tuple[list[Stated], list[Stated]]:
    """Take away what agrees, the closest first, and return what is left of each side, allowed mentions left out."""
    for kind in _SETS:
        values = [{each.quantity.value for each in side if each.quantity.kind == kind} for side in (one, two)]
        both = values[0] & values[1]
        one, two = ([e for e in side if e.quantity.kind != kind or e.quantity.value not in both] for side in (one, two))
    for agree in (eq, _same_value, _hour):
        one, two = _paired(one, two, agree)
    one, two = _dates_in_parts(one, two)
    two, one = _dates_in_parts(two, one)
    return [e for e in one if e.strictness < Strictness.ALLOWED], [e for e in two if e.strictness < Strictness.ALLOWED]


def _paired(
    one: list[Stated], two: list[Stated], agree: Callable[[Quantity, Quantity], bool]
) -> tuple[list[Stated], list[Stated]]:
    """Pair quantities that agree, demanded ones first, and return what has no partner."""
    rest = sorted(two, key=lambda each: (each.strictness, each.place))
    left = []
    for each in sorted(one, key=lambda each: (each.strictness, each.place)):
        partner = next(
            (other for other in rest if agree(each.quantity, other.quantity) and not _idle(each, other)), None
        )
        if partner is None:
            left.append(each)
        else:
            rest.remove(partner)
    return left, rest


def _idle(one: Stated, two: Stated) -> bool:
    """Return whether neither asks anything: then both are kept, as part of what is compared."""
    return one.strictness is two.strictness is Strictness.ALLOWED


def _not_repeated(left: list[Stated], others: Sequence[Mention]) -> list[Stated]:
    """Return what is left over of one side and is not on the other."""
    said = {
        (quantity.kind, quantity.value, quantity.unit)
        for each in others
        for reading in each.readings
        for quantity in reading
    }
    return [
        each
        for each in left
        if not said & {(each.quantity.kind, each.quantity.value, unit) for unit in {each.quantity.unit, ""}}
    ]


def _same_value(one: Quantity, two: Quantity) -> bool:
    return (one.kind, one.value) == (two.kind, two.value) and "" in (one.unit, two.unit)


def _hour(one: Quantity, two: Quantity) -> bool:
    """Return whether one is a full hour and the other the bare number of it, as in "at nine" and "um 9 Uhr"."""
    if one.kind == "number":
        one, two = two, one
    if (one.kind, two.kind) != ("time", "number") or two.unit not in ("", "h") or not two.value.isdigit():
        return False
    hour, _, minute = one.value.partition(":")
    return minute == "00" and int(two.value) <= 24 and (int(two.value) - int(hour)) % 12 == 0


def _dates_in_parts(one: list[Stated], two: list[Stated]) -> tuple[list[Stated], list[Stated]]:
    """Pair a date with a month and a number, as where a list names the month once."""
    left = []
    for each in one:
        month, _, day = each.quantity.value.partition("-")
        if each.quantity.kind == "date" and not each.strictness:
            number = next((o for o in two if o.quantity.kind == "number" and o.quantity.value == str(int(day))), None)
            named = [o for o in two if o.quantity == Quantity("month", str(int(month)))]
            dated = any(
                o.quantity.kind == "date" and o.quantity.value.startswith(month) for o in [*two, *one] if o is not each
            )
            if number is not None and (named or dated):
                two = [o for o in two if o is not number and o not in named]
                continue
        left.append(each)
    return left, two


def _texts(stated: list[Stated]) -> list[str]:
    return list(dict.fromkeys(each.text for each in sorted(stated, key=lambda each: each.place)))
