"""What a question asks for: a time, an amount, a person; one statement or several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mentions import Quantity, Strictness
from ragaliq.text.terms import base_language, fold

_FILE = Path(__file__).with_name("questions.yaml")
# Units that can answer for each other.
_FAMILIES = {
    "duration": frozenset(["s", "min", "h", "day", "night", "week", "month", "year"]),
    "length": frozenset(["m", "km", "cm", "mm"]),
    "temperature": frozenset(["°"]),
    "weight": frozenset(["kg", "g", "t"]),
    "volume": frozenset(["l", "ml"]),
    # The table of units does not know every currency, so a bare number may be money.
    "money": frozenset(["EUR", "USD", "GBP", "RUB", "CNY", ""]),
}
_TIMES = frozenset(["time", "date", "month", "weekday"])
_YEAR = regex.compile(r"1\d{3}|2\d{3}")
# Two capitalised words, also at the start of a sentence; in Chinese a dot separates the parts of a foreigner's name.
_PERSON = regex.compile(r"\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]+|(?<=\p{Han})·(?=\p{Han})")


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question asks for.

    Attributes:
        kinds: of value, one of which answers: `time`, `number`, `person`, or a kind of unit such as `duration`; none
            where the question asks for something else, or in a language without patterns.
        units: the unit that it names, and those of the same kind: "how many litres".
        several: whether it asks for a list, compares, or asks for values of two kinds.
    """

    kinds: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    several: bool = False


@lru_cache(maxsize=2048)
def asked(question: str, lang: str) -> Sought:
    """Return what a question in `lang` asks for."""
    patterns = _patterns(base_language(lang))
    if not patterns:
        return Sought()
    text = fold(question)
    hits = {kind for kind, pattern in patterns.items() if pattern.search(text)}
    units: frozenset[str] = frozenset()
    if "many" in hits:
        # "How many litres" names its unit as "7 litres" does.
        counted = " ".join(patterns["many"].sub(" 7 ", text).split())
        named = [value.unit for value in _values(counted, lang) if value.value == "7"]
        units = frozenset[str]().union(*(_family(unit) for unit in named if unit))
        if not units and not hits & _FAMILIES.keys():
            hits.add("number")
    kinds = frozenset(hits - {"many", "several", "compare"} - ({"number"} if units else set()))
    several = bool(hits & {"several", "compare"}) or len(kinds) + bool(units) > 1
    return Sought(kinds, units, several)


def fits(statement: str, lang: str, question: str, asked_in: str) -> bool:
    """Return whether a statement in `lang` holds a value of a kind that the question asks for, one that it lacks."""
    wanted = asked(question, asked_in)
    if "person" in wanted.kinds and _PERSON.search(statement):
        return True
    said = _values(statement, lang) - _values(question, asked_in)
    return any(_answers(value, wanted) for value in said)


def _answers(value: Quantity, wanted: Sought) -> bool:
    if value.kind in _TIMES:
        return "time" in wanted.kinds
    if value.kind != "number":
        return False
    if "number" in wanted.kinds or value.unit in wanted.units:
        return True
    if "time" in wanted.kinds and (_YEAR.fullmatch(value.value) or value.unit in _FAMILIES["duration"]):
        return True
    return any(value.unit in _FAMILIES[kind] for kind in wanted.kinds & _FAMILIES.keys())


def _family(unit: str) -> frozenset[str]:
    return next((units for units in _FAMILIES.values() if unit in units), frozenset([unit]))


@lru_cache(maxsize=8192)
def _values(text: str, lang: str) -> frozenset[Quantity]:
    """Return the values that a text states; articles and their like do not count."""
    if not comparable(lang):
        return frozenset()
    mentions = (mention for mention in quantities(text, lang) if mention.strictness < Strictness.ALLOWED)
    return frozenset(value for mention in mentions for reading in mention.readings for value in reading)


@cache
def _patterns(lang: str) -> dict[str, regex.Pattern[str]]:
    entry = read_mapping(_FILE).get(lang, {})
    return {kind: regex.compile(pattern) for kind, pattern in entry.items()}
