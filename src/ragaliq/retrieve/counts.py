"""How often each word, and each index term, stands in each text, and what that makes a term worth.

A text is taken apart into words; a word becomes terms (its stem, its n-grams) once, however often it stands. The counts
of the terms are then the product of two sparse matrices: texts by words, words by terms.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.text.terms import words

# From a folded word to its index terms, repeats included.
Analyzer = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Counts:
    """A count for each text and each word or term.

    Attributes:
        numbers: the column of each word or term, numbered in the order in which they first stand.
        matrix: a sparse matrix of scipy in rows, float32, one row for each text.
    """

    numbers: Mapping[str, int]
    matrix: Any


class _Numbering(dict[str, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def count_words(texts: Iterable[str]) -> Counts:
    """Count the words of each text."""
    numbers = _Numbering()
    flat, ends = _flat(map(words, texts), numbers)
    return Counts(numbers, _rows(flat, ends, len(numbers)))


def count_terms(counted: Counts, analyze: Analyzer) -> Counts:
    """Count the terms of each text from its words; `analyze` gives the terms of a word."""
    terms = terms_of(counted.numbers, analyze)
    return Counts(terms.numbers, counted.matrix @ terms.matrix)


def terms_of(distinct: Iterable[str], analyze: Analyzer, known: Mapping[str, int] | None = None) -> Counts:
    """Count the terms of each word of a vocabulary, one row for each word.

    Args:
        distinct: the words.
        analyze: gives the terms of a word.
        known: the terms that count, with their columns; None counts all.
    """
    if known is None:
        numbers: Mapping[str, int] = _Numbering()
        rows: Iterable[list[str]] = map(analyze, distinct)
    else:
        numbers = known
        rows = ([term for term in analyze(word) if term in known] for word in distinct)
    flat, ends = _flat(rows, numbers)
    return Counts(numbers, _rows(flat, ends, len(numbers)))


def idf(n: int, frequency: NDArray[Any]) -> NDArray[np.float64]:
    """Return `ln(1 + (n − df + .5) / (df + .5))` of terms that `df` of `n` texts hold: above 0, also where df = n."""
    return np.asarray(np.log1p((n - frequency + 0.5) / (frequency + 0.5)), dtype=np.float64)


def _flat(rows: Iterable[Sequence[str]], numbers: Mapping[str, int]) -> tuple[array[int], array[int]]:
    """Return the numbers of all keys in one row, and where each row ends."""
    flat, ends = array("i"), array("q", [0])
    for keys in rows:
        flat.extend(map(numbers.__getitem__, keys))
        ends.append(len(flat))
    return flat, ends


def _rows(flat: array[int], ends: array[int], width: int) -> Any:
    from scipy.sparse import csr_matrix

    ones = np.ones(len(flat), dtype=np.float32)
    places = np.frombuffer(flat, dtype=np.int32) if flat else np.zeros(0, dtype=np.int32)
    matrix = csr_matrix((ones, places, np.frombuffer(ends, dtype=np.int64)), shape=(len(ends) - 1, width))
    matrix.sum_duplicates()
    return matrix
