"""Queries that ask the same in nearly the same characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragaliq.corpus.located import Located
from ragaliq.text.analysis import fold, is_wide
from ragaliq.types import Item

SHORTEST, LONGEST = 3, 5
# Scripts without an alphabet say in two characters what others say in five.
WIDE_SHORTEST, WIDE_LONGEST = 1, 2
THRESHOLD = 0.8
# All pairs are compared: 3,000 queries take some seconds, ten times as many would take a hundred times as long.
MOST = 3000


def near_duplicates(items: Mapping[str, Located[Item]]) -> Iterator[str]:
    """Yield each query whose text is nearly that of an earlier one in the language, with the nearest.

    Near is a Jaccard coefficient of the sets of character n-grams of at least `THRESHOLD`. Equal texts are told as such
    elsewhere. Of an answerable and an unanswerable query that are near, one is wrong: told in other words. More than
    `MOST` queries are not compared.
    """
    if len(items) > MOST:
        return
    grams = [(query_id, located, ngrams(located.record.query.text)) for query_id, located in items.items()]
    for place, (query_id, located, own) in enumerate(grams):
        nearest = max(grams[:place], key=lambda other: _bounded(own, other[2]), default=None)
        value = _bounded(own, nearest[2]) if nearest else 0.0
        if nearest is None or value < THRESHOLD or _folded(located) == _folded(nearest[1]):
            continue
        mixed = located.record.answerable != nearest[1].record.answerable
        why = "; but only one of them is answerable" if mixed else ""
        yield f"{located.where}: the text of '{query_id}' is nearly that of '{nearest[0]}' ({value:.2f}){why}"


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


def too_many(n_queries: int) -> str:
    """Return a note that so many queries are not compared, "" if they are."""
    return f"{n_queries} queries are too many to look for near duplicates (at most {MOST})" if n_queries > MOST else ""


def _bounded(one: frozenset[str], two: frozenset[str]) -> float:
    """Return the coefficient, 0 without counting where the sizes alone keep it below the threshold."""
    small, large = sorted((len(one), len(two)))
    return jaccard(one, two) if small >= THRESHOLD * large else 0.0


def _folded(located: Located[Item]) -> Sequence[str]:
    return fold(located.record.query.text).split()
