"""Translations that are much longer or shorter than others of their language."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

import regex

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.types import RecordKind, Severity, TranslationFinding, TranslationPair

_LETTER = regex.compile(r"\p{L}")
# The fewest letters, of both texts together: the lengths of shorter ones vary by chance.
_SHORTEST = 60
# Below, the range of a language is unknown.
_FEWEST = 20
# Median absolute deviations, scaled to standard deviations of a normal distribution, and the least deviation.
_FAR, _NORMAL, _LEAST = 5.0, 1.4826, 0.08


def length_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `length` warnings: the ratio of letters is far from the median of its kind of record and language.

    Far means five robust standard deviations (of the logarithm, from the median absolute deviation). Texts below sixty
    letters on both sides together are not looked at, nor kinds with fewer than twenty texts.
    """
    ratios: dict[RecordKind, list[tuple[TranslationPair, float]]] = defaultdict(list)
    for pair in pairs:
        source, target = (len(_LETTER.findall(text)) for text in (pair.source, pair.target))
        if source and target and source + target >= _SHORTEST:
            ratios[pair.record].append((pair, math.log(target / source)))
    for record in sorted(ratios):
        yield from _findings(ratios[record])


def _findings(ratios: Sequence[tuple[TranslationPair, float]]) -> Iterator[TranslationFinding]:
    if len(ratios) < _FEWEST:
        return
    middle = median(ratio for _, ratio in ratios)
    spread = max(_LEAST, _NORMAL * median(abs(ratio - middle) for _, ratio in ratios))
    for pair, ratio in ratios:
        if abs(ratio - middle) > _FAR * spread:
            ratios_told = f"{math.exp(ratio):.2f} letters for one of the source, usually {math.exp(middle):.2f}"
            yield finding_of(pair, "length", Severity.WARNING, ratios_told)
