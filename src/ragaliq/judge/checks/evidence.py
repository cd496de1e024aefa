"""How much of a sentence is in passages: shares of its words, and closeness in meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import regex
from numpy.typing import NDArray

from ragaliq.text.numbers import with_digits
from ragaliq.text.polarity import function_words
from ragaliq.text.sentence_encoder import encode, knows
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import UNSPACED, WORD, base_language, fold, reading_length, word_ngrams, word_terms
from ragaliq.types import Hit

_JOINTS = regex.compile(
    r"[,;，；、—–]\s*|:\s+|：|\s(?:and|because|while|but|who|und|weil|aber|während|et|parce|mais|tandis|y|e|porque|pero"
    r"|mientras|и|а|но|потому)\s|因为|但|而"
)
# A shorter piece says too little to be looked for alone; in letters of an alphabet.
_SHORTEST_CLAUSE = 15
# A word is there if half of its character 3-grams are: an inflected form, a part of a compound.
_LEAST_GRAMS = 0.5
# The sentences of passages that may say a sentence together.
_TOGETHER = 3


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A sentence, clause or passage: its terms with their weights, and what else may match them.

    Attributes:
        units: the weights of its terms.
        inflected: for each term that another form of its word may match, the character 3-grams of that word.
        grams: the character 3-grams of all its words.
        numbers: its numbers in one spelling.
    """

    text: str
    lang: str
    units: Mapping[str, float]
    inflected: Mapping[str, frozenset[str]]
    grams: frozenset[str]
    numbers: frozenset[str]


@lru_cache(maxsize=16384)
def piece(text: str, lang: str) -> Piece:
    """Read a text; a term weighs least if it is a function word, more the longer it is, and most with a digit."""
    units: dict[str, float] = {}
    inflected: dict[str, frozenset[str]] = {}
    all_grams: set[str] = set()
    spelled, numbers = with_digits(fold(text), lang)
    for word in WORD.findall(spelled):
        grams = frozenset(word_ngrams(word, 3, 3)) if not UNSPACED.search(word) else frozenset[str]()
        all_grams |= grams
        for term in word_terms(word, lang):
            light = word in function_words(lang) or term in function_words(lang)
            units[term] = 0.1 if light else _weight(term)
            if grams and not any(map(str.isdigit, term)):
                inflected[term] = grams
    return Piece(text, lang, units, inflected, frozenset(all_grams), frozenset(numbers))


def words_held(part: Piece, *others: Piece) -> float:
    """Return the share of a piece's weight that others hold together, in 0..1; 0 for a piece without words."""
    if not part.units:
        return 0.0
    known = {term for other in others for term in part.units.keys() & other.units.keys()}
    held = [part.units[term] for term in known]
    for term in part.inflected.keys() - known:
        grams = part.inflected[term]
        share = len({gram for other in others for gram in grams & other.grams}) / len(grams)
        if share >= _LEAST_GRAMS:
            held.append(part.units[term] * share)
    return math.fsum(held) / math.fsum(part.units.values())


def split_clauses(text: str) -> list[str]:
    """Return the parts of a sentence between commas and conjunctions, short ones left out.

    Where fewer than two are left, that is the whole sentence.
    """
    parts = [part.strip() for part in _JOINTS.split(text) if reading_length(part.strip()) >= _SHORTEST_CLAUSE]
    return parts if len(parts) > 1 else [text]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What passages hold of a sentence, in hundredths.

    Attributes:
        whole: how much of the sentence's meaning three sentences of the passages span together: the length of its
            vector's projection on theirs. In a language that the encoder does not know, the share of its words that two
            passages hold.
        weakest: the least evidence for one of its clauses, which is the greater of two: the closest sentence's cosine,
            and the share of the clause's words that one passage holds.
        words: share of its words that two sentences of the passages hold; across languages the same as `whole`.
        closest: which sentence of the passages is the closest in words and meaning together.
        closest_words: share of its words that this sentence holds.
        closest_cosine: how close in meaning it is; 0 without the encoder.
    """

    whole: int
    weakest: int
    words: int
    closest: int
    closest_words: int
    closest_cosine: int

    @property
    def strength(self) -> int:
        """The sum of the three kinds of evidence, 0 to 300."""
        return self.whole + self.weakest + self.words


class Context:
    """The passages of an answer and their sentences, read for comparison with sentences in `lang`."""

    def __init__(self, hits: Sequence[Hit], lang: str) -> None:
        self.lang = lang
        self._hits = hits
        self._places = {text: hit for hit in reversed(hits) for text in sentences(hit.chunk.titled)}
        self.doc_ids = [hit.chunk.doc_id for hit in self._places.values()]
        self.meaning = knows(lang) and all(knows(hit.chunk.lang) for hit in hits)
        self.foreign = any(base_language(hit.chunk.lang) != base_language(lang) for hit in hits)

    @cached_property
    def pieces(self) -> list[Piece]:
        """The passages."""
        return [piece(hit.chunk.titled, hit.chunk.lang) for hit in self._hits]

    @cached_property
    def sentences(self) -> list[Piece]:
        """Their sentences, each once."""
        return [piece(text, hit.chunk.lang) for text, hit in self._places.items()]

    def source(self, text: str) -> str | None:
        """Return the document that has this very sentence, None if none has it."""
        hit = self._places.get(text)
        return None if hit is None else hit.chunk.doc_id

    def evidence(self, text: str) -> Evidence | None:
        """Return what the passages hold of a sentence; None if there are none."""
        if not self.sentences:
            return None
        sentence = piece(text, self.lang)
        shares = [words_held(sentence, other) for other in self.sentences]
        cosines = self._cosines(text)
        closest = max(range(len(shares)), key=lambda at: (round(shares[at] + float(cosines[at]), 3), -at))
        whole = self._span(text, cosines) if self.meaning else _by_two(sentence, self.pieces)
        words = whole if self.foreign and self.meaning else _by_two(sentence, self.sentences)
        return Evidence(
            round(100 * whole),
            round(100 * self._weakest(text)),
            round(100 * words),
            closest,
            round(100 * shares[closest]),
            round(100 * float(cosines[closest])),
        )

    def _weakest(self, text: str) -> float:
        parts = [piece(part, self.lang) for part in split_clauses(text)]
        shares = {part.text: max(words_held(part, other) for other in self.pieces) for part in parts}
        least = math.inf
        # The clauses with most words come last: only one with fewer than the least evidence needs a vector.
        for part, share in sorted(shares.items(), key=lambda one: one[1]):
            if share >= least:
                break
            least = min(least, max(share, float(self._cosines(part).max())))
        return least

    def _cosines(self, text: str) -> NDArray[np.float64]:
        """Return one cosine for each sentence of the passages, zeros without the encoder."""
        if not self.meaning:
            return np.zeros(len(self.sentences))
        # Machines differ in the last digits.
        return np.asarray(np.maximum(self._vectors @ _vector(text), 0.0).round(3), dtype=np.float64)

    @cached_property
    def _vectors(self) -> NDArray[np.float64]:
        return encode(list(self._places)).astype(np.float64)

    def _span(self, text: str, cosines: NDArray[np.float64]) -> float:
        basis = self._vectors[np.argsort(-cosines, kind="stable")[:_TOGETHER]].T
        vector = _vector(text)
        # Without the bound two nearly equal sentences would span a direction of noise.
        shares, *_ = np.linalg.lstsq(basis, vector, rcond=1e-2)
        return float(np.linalg.norm(basis @ shares))


def _vector(text: str) -> NDArray[np.float64]:
    vector: NDArray[np.float64] = encode([text])[0].astype(np.float64)
    return vector


def _by_two(sentence: Piece, others: Sequence[Piece]) -> float:
    """Return the share of a sentence's words that the best of others and one more hold."""
    first = max(others, key=lambda other: words_held(sentence, other))
    return max(words_held(sentence, first, other) for other in others)


def _weight(term: str) -> float:
    if any(map(str.isdigit, term)):
        return 2.0
    if UNSPACED.match(term):
        return 1.0 if len(term) > 1 else 0.3
    return min(1.5, 0.2 * len(term))
