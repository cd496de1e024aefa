"""Values that two texts state in different forms: other units, minutes and seconds, the number in a code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import regex

from ragaliq.text.quantities.decimals import decimals_in_digits
from ragaliq.text.quantities.measures import UnitValue, unit_values
from ragaliq.text.quantities.mismatch import Stated
from ragaliq.text.terms import fold
from ragaliq.types import TranslationPair

_FRACTION = regex.compile(r"\p{Nd}+\.\p{Nd}+")
_DIGITS = regex.compile(r"\p{Nd}+")
# A measure of a text, and the runs of digits in it.
_Measure = tuple[UnitValue, list[str]]


def without_conversions(
    source: list[Stated], target: list[Stated], pair: TranslationPair
) -> tuple[list[Stated], list[Stated]]:
    """Return what the sides of a pair have left, without what both state in another form.

    That is a measure of the same size in another unit, as 20 miles and 32 km; a length of time, 4:51, in minutes and
    seconds; a number on one side that is part of a code on the other, as 99 and SR-99 (the code stays); a fraction in
    words, as one and a half.
    """
    if not source and not target:
        return source, target
    here, there = _measures(pair.source, pair.source_lang), _measures(pair.target, pair.lang)
    source, target = _without(source, _converted(here, there)), _without(target, _converted(there, here))
    source, target = _without_clock(source, target)
    target, source = _without_clock(target, source)
    source, target = _without_code_parts(source, target), _without_code_parts(target, source)
    return _without_words(source, pair.target, pair.lang), _without_words(target, pair.source, pair.source_lang)


def _measures(text: str, lang: str) -> list[_Measure]:
    folded = fold(text)
    return [(one, _DIGITS.findall(folded[one.start : one.end])) for one in unit_values(folded, lang)]


def _converted(measures: Iterable[_Measure], others: Sequence[_Measure]) -> Iterator[_Measure]:
    """Yield the measures that the other side has in another unit; not those that it has as they are, each once."""
    rest = [other for other, _ in others]
    for one, figures in measures:
        same = next((other for other in rest if one.unit == other.unit and one.equals(other)), None)
        if same:
            rest.remove(same)
        elif any(one.unit != other.unit and one.equals(other) for other, _ in others):
            yield one, figures


def _without(stated: Iterable[Stated], measures: Iterable[_Measure]) -> list[Stated]:
    """Leave out one value for each measure: that of its unit, or the first of these figures."""
    left = list(stated)
    for measure, figures in measures:
        alike = [each for each in left if _DIGITS.findall(each.text) == figures]
        with_unit = [each for each in alike if each.quantity.unit == measure.unit]
        if alike:
            left.remove((with_unit or alike)[0])
    return left


def _without_clock(clocks: list[Stated], parts: list[Stated]) -> tuple[list[Stated], list[Stated]]:
    """Leave out times whose two numbers the other side has, as minutes and seconds."""
    left = []
    for each in clocks:
        numbers = [next((o for o in parts if _is_number(o, part)), None) for part in each.quantity.value.split(":")]
        if each.quantity.kind == "time" and len(numbers) == 2 and None not in numbers:
            parts = [other for other in parts if other not in numbers]
        else:
            left.append(each)
    return left, parts


def _is_number(stated: Stated, digits: str) -> bool:
    return stated.quantity.kind == "number" and digits.isdigit() and stated.quantity.value == str(int(digits))


def _without_code_parts(stated: list[Stated], others: Iterable[Stated]) -> list[Stated]:
    """Leave out numbers that are part of a code of the other side."""
    parts = {part for other in others if other.quantity.kind == "name" for part in _DIGITS.findall(other.text)}
    return [each for each in stated if each.quantity.kind == "name" or each.quantity.value not in parts]


def _without_words(stated: list[Stated], other: str, lang: str) -> list[Stated]:
    """Leave out fractions that the other text has in words."""
    if not any(_FRACTION.fullmatch(each.quantity.value) for each in stated):
        return stated
    values = set(_FRACTION.findall(decimals_in_digits(fold(other), lang)))
    return [each for each in stated if each.quantity.value not in values]
