"""Numbers, times, dates, units and codes: what one text states and the other does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import regex

from ragaliq.benchmark.translation.facts.conversions import without_conversions
from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.text.numbers import HAN_DIGITS, number_words
from ragaliq.text.quantities.extract import comparable, quantities
from ragaliq.text.quantities.mentions import Mention, Strictness
from ragaliq.text.quantities.mismatch import Stated, unmatched
from ragaliq.text.terms import fold
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

_KINDS = {"number": "number", "time": "number", "date": "date", "month": "date", "weekday": "date", "name": "name"}
_DIGITS = regex.compile(r"\p{Nd}+")
# Of a unit: km2, м3.
_POWER = regex.compile(r"(?<=(?<!\p{L})[kcdmксд]?[mм])[23](?![\p{L}\p{Nd}])")
_FRACTIONS = {"1/2": "½", "1/4": "¼", "3/4": "¾"}
_FRACTION = regex.compile(r"(?<![\p{Nd}/.,])(?:1/2|1/4|3/4)(?![\p{Nd}/]|[.,]\p{Nd})")
# Addresses and code spans are compared by `link_findings`, which sees each character.
_ADDRESS = regex.compile(r"[`@/]|\w\.\w{2}")


def fact_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `number`, `date` and `unit` findings, and `name` ones for codes (`C-214`): what one text alone states.

    Values are read by the rules of both languages, see `quantities`. A `unit` finding is a number that both state with
    different units, an error. Times of day are numbers; months and weekdays are dates. A measure in another unit, of
    the same size, is the same. A number in words may be left out, but contradicts another one. A warning, not an error,
    is a number with the separators of the other language, and a code that is left out. A question need not state what
    the other does, unless that states something else. Nothing is found in a language without number words.
    """
    for pair in pairs:
        if comparable(pair.source_lang) and comparable(pair.lang) and pair.source.strip() and pair.target.strip():
            yield from _findings(pair)


def _findings(pair: TranslationPair) -> Iterator[TranslationFinding]:
    sides = [_stated(pair.source, pair.source_lang), _stated(pair.target, pair.lang)]
    source, target = without_conversions(*unmatched(*sides), pair)
    if pair.record is RecordKind.QUERY and not (source and target) and not all(map(_demands, sides)):
        return
    sure = not _only_separators(source, target)
    if not source and not target:
        sides = [_with_words(sides[0], pair.source_lang), _with_words(sides[1], pair.lang)]
        source, target = without_conversions(*unmatched(*sides), pair)
    kinds = [_by_kind(source, target), _by_kind(target, source)]
    for kind in sorted({*kinds[0], *kinds[1]}):
        lost, added = (side.get(kind, []) for side in kinds)
        messages = [f"{quoted(lost)} not in the translation"] if lost else []
        messages += [f"{quoted(added)} not in the source"] if added else []
        error = (sure or kind == "unit") and (kind != "name" or bool(lost and added))
        yield finding_of(pair, kind, Severity.ERROR if error else Severity.WARNING, "; ".join(messages))


def _stated(text: str, lang: str) -> list[Mention]:
    """Return what a text states, addresses left out."""
    plain = _FRACTION.sub(lambda match: _FRACTIONS[match[0]], _POWER.sub("", text))
    return [each for each in quantities(plain, lang) if not (_is_name(each) and _ADDRESS.search(each.text))]


def _is_name(mention: Mention) -> bool:
    return any(quantity.kind == "name" for reading in mention.readings for quantity in reading)


def _demands(mentions: Sequence[Mention]) -> bool:
    return any(not each.strictness for each in mentions)


def _with_words(mentions: Sequence[Mention], lang: str) -> list[Mention]:
    """Return the mentions with plain numerals, from two on, as numbers that another one contradicts."""
    words = number_words(lang)
    return [
        replace(each, strictness=Strictness.SPELLED)
        if each.strictness is Strictness.ALLOWED and _numeral(each, words) >= 2
        else each
        for each in mentions
    ]


def _numeral(mention: Mention, words: dict[str, int]) -> int:
    """Return the value of a mention that is one numeral and nothing else, 0 of others."""
    numeral = fold(mention.text)[0] if fold(mention.text)[:1] in HAN_DIGITS else fold(mention.text)
    value = HAN_DIGITS.get(numeral) or words.get(numeral, 0)
    return value if [[each.value for each in reading] for reading in mention.readings] == [[str(value)]] else 0


def _only_separators(source: Sequence[Stated], target: Sequence[Stated]) -> bool:
    """Return whether both sides have the same figures, read in different ways."""
    figures = [sorted(_DIGITS.findall(each.text) for each in side) for side in (source, target)]
    return figures[0] == figures[1] != [] and all(len("".join(figure)) > 2 for figure in figures[0])


def _by_kind(stated: Iterable[Stated], others: Iterable[Stated]) -> dict[str, list[str]]:
    """Return the texts of values by the kind of their finding: a value that the others have, too, has another unit."""
    values = {(each.quantity.kind, each.quantity.value) for each in others}
    kinds: dict[str, list[str]] = defaultdict(list)
    for each in stated:
        quantity = each.quantity
        kind = "unit" if (quantity.kind, quantity.value) in values else _KINDS[quantity.kind]
        if each.text not in kinds[kind]:
            kinds[kind].append(each.text)
    return kinds
