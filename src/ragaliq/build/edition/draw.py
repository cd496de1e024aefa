"""Drawing: the value of every slot in the edition that a seed names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import prod

from ragaliq.build.edition.ranges import DAY, FIRST_MINUTE, SlotType, Value
from ragaliq.build.edition.slots import DERIVED, MOVED, PEOPLE, Slot
from ragaliq.errors import InputError

_TRIES = 5000
_NUMBERED = 1_000_000
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Facts:
    """The values of one edition, and for each slot a wrong one of the same kind."""

    right: Mapping[str, Value]
    wrong: Mapping[str, Value]


def draw_facts(
    slots: Mapping[str, Slot], pools: Mapping[str, Sequence[str]], seed: int, taken: frozenset[str]
) -> Facts:
    """Return the facts of the edition `seed`.

    Edition 0 holds the values that the template names. In any other no slot has its value of edition 0. A value depends
    on the seed and on what the slots say, not on the order of files, on hashing or on the machine. A numbered edition
    (a seed below a million) takes the next choice of each slot's own order, so that editions share as few values as the
    ranges allow; of a greater seed each try takes the choice at the place SHA-256(seed, name, try) modulo their number,
    so that no fact tells another. A choice that breaks `differs` or `above`, or repeats a person, a surname within a
    chapter or a code, is passed over.

    A wrong value is another choice, and none that a slot which has to differ holds; that of a derived slot is worked
    out with one part wrong, so that the whole is.

    Args:
        slots: by name.
        pools: the keys of the pools `weekday`, `colour`, `woman`, `man` and `surname`.
        seed: names the edition; any whole number from 0 on.
        taken: words of the template that no code may equal.

    Raises:
        InputError: if a slot finds no value, the values of edition 0 break `differs` or `above` or repeat a person, a
            surname within a chapter or a code, or slots refer to one another in a circle.
    """
    order = _ordered(slots)
    rivals = _rivals(slots)
    right, seen = _right(order, rivals, pools, seed, taken)
    wrong: dict[str, Value] = {}
    for slot in order:
        key = f"{seed}/{slot.name}/wrong"
        if slot.type in DERIVED:
            wrong[slot.name] = _derived_wrong(slot, slots, pools, Facts(right, wrong), key)
            continue
        others = {right[name] for name in (slot.name, *rivals.get(slot.name, ()))}
        wrong[slot.name] = _pick(slot, _at_random(slot, pools, key), {}, others | seen)
    return Facts(right, wrong)


def _right(
    order: Sequence[Slot],
    rivals: Mapping[str, AbstractSet[str]],
    pools: Mapping[str, Sequence[str]],
    seed: int,
    taken: frozenset[str],
) -> tuple[dict[str, Value], set[Value]]:
    """Return the right values, and what no other value may repeat."""
    right: dict[str, Value] = {}
    seen: set[Value] = set(taken)
    for slot in order:
        if slot.type in DERIVED:
            right[slot.name] = _derived(slot, [_operand(part, right) for part in slot.operands])
            continue
        others = {right[name] for name in rivals.get(slot.name, ()) if name in right}
        value = slot.value
        if seed == 0 and value is not None:
            # The chapters' own words hold the codes of edition 0 where these stand without a slot.
            if not _fits(slot, value, right, others | (seen - taken)):
                raise InputError(
                    f"slot '{slot.name}' of '{slot.chapter}': its value of edition 0 breaks 'above' or 'differs', or "
                    "repeats a code or a person; change one"
                )
        else:
            numbered = seed < _NUMBERED and _choices(slot, pools)
            tried = _in_turn(slot, pools, seed) if numbered else _at_random(slot, pools, f"{seed}/{slot.name}")
            value = _pick(slot, tried, right, others | {slot.value} | seen)
        right[slot.name] = value
        seen |= _once(slot, value)
    return right, seen


def _derived_wrong(
    slot: Slot, slots: Mapping[str, Slot], pools: Mapping[str, Sequence[str]], facts: Facts, key: str
) -> Value:
    """Return the value with one part wrong, the first that makes the whole wrong: 20 is as far from 15 as 10 is."""
    parts = [part for part in slot.operands if isinstance(part, str)]
    tried = [(part, facts.wrong[part]) for part in dict.fromkeys(parts)]
    free = next((part for part in parts if slots[part].type not in DERIVED), None)
    more = _at_random(slots[free], pools, key) if free else iter(())
    for part, value in chain(tried, ((free or "", value) for value in more)):
        worked_out = _derived(slot, [_operand(operand, {**facts.right, part: value}) for operand in slot.operands])
        if worked_out != facts.right[slot.name]:
            return worked_out
    raise InputError(f"slot '{slot.name}' of '{slot.chapter}': no wrong value is left; widen the range of '{parts[0]}'")


def _fits(slot: Slot, value: Value, right: Mapping[str, Value], others: AbstractSet[Value | None]) -> bool:
    """Return whether a slot may take a value; the slot that it has to be above counts where `right` holds it."""
    base = right.get(slot.above)
    # Values of one type are compared, which the order of slots and their ranges sees to.
    low = base is not None and not value > base  # type: ignore[operator]
    return not low and value not in others and others.isdisjoint(_once(slot, value))


def _once(slot: Slot, value: Value) -> set[Value]:
    """Return what no other slot may repeat: a code, a person, and a surname within its chapter."""
    if slot.type is SlotType.CODE:
        return {value}
    if slot.type in PEOPLE:
        return {value, f"{slot.chapter}: {str(value).rpartition(' ')[2]}"}
    return set()


def _pick(
    slot: Slot, candidates: Iterator[Value], right: Mapping[str, Value], others: AbstractSet[Value | None]
) -> Value:
    for value in candidates:
        if _fits(slot, value, right, others):
            return value
    raise InputError(f"slot '{slot.name}' of '{slot.chapter}': no value is left that fits; widen its range")


def _in_turn(slot: Slot, pools: Mapping[str, Sequence[str]], seed: int) -> Iterator[Value]:
    """Yield the choices of a slot in the order in which the numbered edition `seed` tries them.

    The choices stand in an order that SHA-256 makes, another one for each round; each edition begins one place further.
    """
    choices = [value for value in _choices(slot, pools) if value != slot.value]
    turn, place = divmod(seed - 1, max(len(choices), 1))
    order = sorted(choices, key=lambda value: hashlib.sha256(f"{slot.name}/{turn}/{value}".encode()).digest())
    yield from order[place:]
    yield from order[:place]


def _at_random(slot: Slot, pools: Mapping[str, Sequence[str]], key: str) -> Iterator[Value]:
    """Yield choices of a slot at the places SHA-256(key, try) modulo their number."""
    for attempt in range(_TRIES):
        yield _choice(slot, pools, int.from_bytes(hashlib.sha256(f"{key}/{attempt}".encode()).digest()))


def _choices(slot: Slot, pools: Mapping[str, Sequence[str]]) -> Sequence[Value]:
    """Return all that a slot may hold; nothing for codes and people, who are too many."""
    if slot.type in (SlotType.CODE, *PEOPLE):
        return ()
    return slot.choices or pools[slot.type]


def _choice(slot: Slot, pools: Mapping[str, Sequence[str]], number: int) -> Value:
    if slot.type is SlotType.CODE:
        return _code(slot.pattern, number)
    if slot.type in PEOPLE:
        first, last = pools[slot.type], pools["surname"]
        return f"{first[number % len(first)]} {last[number // len(first) % len(last)]}"
    choices = _choices(slot, pools)
    return choices[number % len(choices)]


def _code(pattern: str, number: int) -> str:
    """Return the pattern with its signs replaced; a number in it never begins with 0."""
    code = ""
    for sign in pattern:
        if sign == "#":
            first = not code[-1:].isdigit()
            number, digit = divmod(number, 9 if first else 10)
            code += str(digit + first)
        elif sign == "@":
            number, place = divmod(number, len(_LETTERS))
            code += _LETTERS[place]
        else:
            code += sign
    return code


def _derived(slot: Slot, operands: Sequence[Value]) -> Value:
    first, second, *more = operands
    if slot.type in MOVED:
        minutes = int(Decimal(str(second)))
        moved = int(str(first)) + (minutes if slot.type is SlotType.LATER else -minutes)
        if not FIRST_MINUTE <= moved < DAY:
            raise InputError(
                f"slot '{slot.name}' of '{slot.chapter}': falls before 02:00 or past midnight; narrow the ranges"
            )
        return moved
    numbers = [Decimal(str(operand)) for operand in (first, second, *more)]
    if slot.type is SlotType.DIFFERENCE:
        return abs(numbers[0] - numbers[1])
    return sum(numbers, Decimal(0)) if slot.type is SlotType.SUM else prod(numbers)


def _operand(part: str | Decimal, values: Mapping[str, Value]) -> Value:
    return values[part] if isinstance(part, str) else part


def _rivals(slots: Mapping[str, Slot]) -> dict[str, set[str]]:
    """Return for each slot those that it has to differ from, whichever of the two says so."""
    rivals: dict[str, set[str]] = {}
    for slot in slots.values():
        for other in slot.differs:
            rivals.setdefault(slot.name, set()).add(other)
            rivals.setdefault(other, set()).add(slot.name)
    return rivals


def _ordered(slots: Mapping[str, Slot]) -> list[Slot]:
    """Return the slots by name, each after those that it is computed from or has to be above."""
    done: dict[str, Slot] = {}
    waiting = [slots[name] for name in sorted(slots)]
    while waiting:
        ready = [slot for slot in waiting if all(name in done for name in _needs(slot))]
        if not ready:
            raise InputError(f"slot '{waiting[0].name}' of '{waiting[0].chapter}': refers to itself in a circle")
        done |= {slot.name: slot for slot in ready}
        waiting = [slot for slot in waiting if slot.name not in done]
    return list(done.values())


def _needs(slot: Slot) -> list[str]:
    return [*(part for part in slot.operands if isinstance(part, str)), *([slot.above] if slot.above else [])]
