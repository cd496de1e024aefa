"""Texts that say nearly the same, found without comparing each with each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragaliq.benchmark.checks.near_duplicates import jaccard, ngrams
from ragaliq.text.terms import fold


@dataclass(frozen=True, slots=True)
class Near:
    """A text that is near to another: its key, and how near it is, in 0..1."""

    key: str
    value: float


class NearTexts:
    """Texts by key, searched for those near to another.

    Nearness is the Jaccard coefficient of the sets of character n-grams. It is 1 for texts that differ only in case and
    white space, also where they have no letters. Only texts that share one of their rarest n-grams are compared; all
    other pairs are below the threshold (prefix filter; Chaudhuri et al. 2006).
    """

    def __init__(self, texts: Iterable[str], least: float) -> None:
        """Take the texts that the frequencies of n-grams are counted in, and the least coefficient that is near."""
        self._least = least
        self._frequency = Counter(gram for text in texts for gram in ngrams(text))
        self._grams: dict[str, frozenset[str]] = {}
        self._holders: dict[str, list[str]] = {}
        self._equal: dict[str, list[str]] = {}

    def add(self, key: str, text: str) -> None:
        """Add a text; keys are unique."""
        grams = ngrams(text)
        self._grams[key] = grams
        self._equal.setdefault(folded_text(text), []).append(key)
        for gram in self._rarest(grams):
            self._holders.setdefault(gram, []).append(key)

    def near(self, text: str) -> list[Near]:
        """Return those of the texts added so far that are near, the nearest first, equally near ones by their keys."""
        grams = ngrams(text)
        values = {
            key: jaccard(grams, self._grams[key]) for gram in self._rarest(grams) for key in self._holders.get(gram, ())
        }
        values |= dict.fromkeys(self._equal.get(folded_text(text), ()), 1.0)
        texts = [Near(key, value) for key, value in values.items() if value >= self._least]
        return sorted(texts, key=lambda one: (-one.value, one.key))

    def _rarest(self, grams: frozenset[str]) -> list[str]:
        """Return enough of the rarest n-grams that the others alone are too few for the threshold."""
        # The small number keeps 0.8 * 15 at 12.
        n_others = max(0, math.ceil(self._least * len(grams) - 1e-9) - 1)
        return sorted(grams, key=lambda gram: (self._frequency[gram], gram))[: len(grams) - n_others]


def folded_text(text: str) -> str:
    """Return a text without the differences that do not count: case, width, white space."""
    return " ".join(fold(text).split())
