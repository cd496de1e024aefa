"""Queries that ask the same in nearly the same characters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ragaliq.benchmark.located import Located
from ragaliq.text.terms import fold, is_wide
from ragaliq.types import Item

SHORTEST, LONGEST = 3, 5
# Scripts without an alphabet say in two characters what others say in five.
WIDE_SHORTEST, WIDE_LONGEST = 1, 2
THRESHOLD = 0.8
_Row = tuple[str, Located[Item], frozenset[str]]


def near_duplicates(items: Mapping[str, Located[Item]]) -> Iterator[str]:
    """Yield each query whose text is nearly that of an earlier one in the language, with one that is.

    Near is a Jaccard coefficient of the sets of character n-grams of at least `THRESHOLD`. Equal texts are told as such
    elsewhere. Of an answerable and an unanswerable query that are near, one is wrong: told in other words.

    Only queries that share one of their rarest n-grams are compared: two sets of which neither shares any of its
    `_rarest` with the other's are below the threshold (prefix filter; Chaudhuri et al. 2006, Bayardo et al. 2007).
    """
    rows = [(query_id, located, ngrams(located.record.query.text)) for query_id, located in items.items()]
    frequency = Counter(gram for _, _, grams in rows for gram in grams)
    holders: dict[str, list[_Row]] = {}
    for row in rows:
        query_id, located, grams = row
        rarest = _rarest(grams, frequency)
        near = _near(row, rarest, holders)
        for gram in rarest:
            holders.setdefault(gram, []).append(row)
        if near:
            mixed = located.record.answerable != near[1].record.answerable
            why = "; but only one of them is answerable" if mixed else ""
            value = jaccard(grams, near[2])
            yield f"{located.where}: the text of '{query_id}' is nearly that of '{near[0]}' ({value:.2f}){why}"


def _near(row: _Row, rarest: Sequence[str], holders: Mapping[str, Sequence[_Row]]) -> _Row | None:
    """Return the first query found to be near, those with the same rare n-grams first."""
    _, located, grams = row
    seen = set()
    for gram in rarest:
        for other in holders.get(gram, ()):
            if other[0] not in seen and _reaches(grams, other[2]) and _folded(located) != _folded(other[1]):
                return other
            seen.add(other[0])
    return None


def ngrams(text: str) -> frozenset[str]:
    """Return the character n-grams of a folded text, words parted by one blank, a blank at each end.

    They are of 3 to 5 characters, or of 1 and 2 where most characters are Han, kana or hangul.
    """
    plain = f" {' '.join(''.join(c if c.isalnum() else ' ' for c in fold(text)).split())} "
    lengths = range(WIDE_SHORTEST, WIDE_LONGEST + 1) if is_wide(text) else range(SHORTEST, LONGEST + 1)
    return frozenset(plain[i : i + n] for n in lengths for i in range(len(plain) - n + 1))


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """Return the share of the common in the union, in 0..1; two empty sets have nothing in common: 0."""
    both = len(one & two)
    return both / (len(one) + len(two) - both) if both else 0.0


def _rarest(grams: frozenset[str], frequency: Mapping[str, int]) -> list[str]:
    """Return so many of the rarest n-grams that the others alone are too few for the threshold."""
    # The small number keeps 0.8 * 15 at 12.
    n_others = math.ceil(THRESHOLD * len(grams) - 1e-9) - 1
    return sorted(grams, key=lambda gram: (frequency[gram], gram))[: len(grams) - n_others]


def _reaches(one: frozenset[str], two: frozenset[str]) -> bool:
    """Return whether the coefficient reaches the threshold; nothing is counted where the sizes alone rule that out."""
    small, large = sorted((len(one), len(two)))
    return small >= THRESHOLD * large and jaccard(one, two) >= THRESHOLD


def _folded(located: Located[Item]) -> Sequence[str]:
    return fold(located.record.query.text).split()
