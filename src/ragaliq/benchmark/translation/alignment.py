"""Which sentences of a text and its translation belong together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import erfc, log, sqrt

import regex

from ragaliq.text.sentences import sentences
from ragaliq.text.terms import reading_length

# What `sentences` leaves whole: a sentence that ends with a time, and the answer "No." before a sentence.
_FURTHER = regex.compile(r"(?<=:\p{Nd}\p{Nd}\.|^No\.)\s+(?=\p{Lu})")
_NUMBER = regex.compile(r"\p{Nd}+")
# How often a group has these numbers of sentences (Gale and Church 1993, Computational Linguistics, table 5).
_PRIORS = {(1, 1): 0.89, (1, 0): 0.005, (0, 1): 0.005, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
# Variance of a length, per letter.
_VARIANCE = 6.8
# What a number that only one side has costs: about as much as a step from one to two sentences.
_NUMBER_COST = 1.5
# So far may an alignment leave the diagonal, in sentences, beyond what one sentence of the source moves it.
_BAND = 20


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences that state the same: mostly one of each side; a side is empty where nothing matches."""

    source: tuple[str, ...]
    target: tuple[str, ...]


def aligned(source: str, target: str) -> list[SentenceGroup]:
    """Return the sentences of a text and its translation in order, in groups that belong together.

    The groups are the likeliest by length (Gale and Church 1993, with the pair's own ratio of lengths) and by shared
    numbers; every sentence is in one group. The list is empty if both texts are.
    """
    here, there = _sentences(source), _sentences(target)
    if len(here) == 1 == len(there) or not here or not there:
        return [SentenceGroup(tuple(here), tuple(there))] if here or there else []
    steps = _best_path(_Side.of(here), _Side.of(there))
    groups, i, j = list[SentenceGroup](), 0, 0
    for taken, matched in steps:
        groups.append(SentenceGroup(tuple(here[i : i + taken]), tuple(there[j : j + matched])))
        i, j = i + taken, j + matched
    return groups


def _sentences(text: str) -> list[str]:
    return [part for sentence in sentences(text) for part in _FURTHER.split(sentence)]


@dataclass(frozen=True, slots=True)
class _Side:
    """The sentences of one text: letters before each, and the numbers in each."""

    letters: list[int]
    numbers: list[frozenset[str]]

    @classmethod
    def of(cls, texts: list[str]) -> _Side:
        letters = [0]
        for text in texts:
            letters.append(letters[-1] + reading_length(text))
        return cls(letters, [frozenset(_NUMBER.findall(text)) for text in texts])

    def between(self, start: int, end: int) -> tuple[int, frozenset[str]]:
        return self.letters[end] - self.letters[start], frozenset().union(*self.numbers[start:end])


def _best_path(here: _Side, there: _Side) -> list[tuple[int, int]]:
    """Return the cheapest steps, each a number of sentences of both sides, from the start of the texts to their end."""
    n, m = len(here.numbers), len(there.numbers)
    ratio = there.letters[-1] / here.letters[-1]
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i, j in _near_diagonal(n, m):
        steps = [step for step in _PRIORS if (i - step[0], j - step[1]) in best]
        if steps:
            best[i, j] = min(
                (best[i - a, j - b][0] + _cost(here.between(i - a, i), there.between(j - b, j), ratio, (a, b)), (a, b))
                for a, b in steps
            )
    path, i, j = list[tuple[int, int]](), n, m
    while i or j:
        step = best[i, j][1]
        path.append(step)
        i, j = i - step[0], j - step[1]
    return path[::-1]


def _near_diagonal(n: int, m: int) -> Iterator[tuple[int, int]]:
    width = m // n + _BAND
    for i in range(n + 1):
        middle = i * m // n
        yield from ((i, j) for j in range(max(0, middle - width), min(m, middle + width) + 1))


def _cost(
    here: tuple[int, frozenset[str]], there: tuple[int, frozenset[str]], ratio: float, step: tuple[int, int]
) -> float:
    """Return minus the logarithm of how likely two groups are one another's translation."""
    expected = here[0] * ratio
    spread = sqrt(_VARIANCE * max(expected, there[0], 1))
    unlikely = max(erfc(abs(there[0] - expected) / spread / sqrt(2)), 1e-30)
    return -log(unlikely) - log(_PRIORS[step]) + _NUMBER_COST * len(here[1] ^ there[1])
