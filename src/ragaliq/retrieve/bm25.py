"""BM25 over index terms: the word channel, and the character channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, nearest
from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.counts import Analyzer, Counts, count_terms, idf
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.text.terms import base_language, word_ngrams, word_terms, words
from ragaliq.types import Query

# Words: the values of Lucene's reproducible baselines (Kamphuis et al., ECIR 2020).
K1, B = 0.9, 0.4
# Character n-grams: those of the first BM25 (Robertson et al., TREC-3); n-grams repeat more often than words.
CHAR_K1, CHAR_B = 1.2, 0.75
SHORTEST, LONGEST = 3, 5
_PART = 2**22
# Lucene's English stopwords, the classic 33.
LUCENE = frozenset(
    words(
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
        "this to was will with"
    )
)
STOPWORDS = ("lucene",)


class TermNumbers(Protocol):
    """The numbers of terms by their names."""

    def get(self, term: str, /) -> int | None:
        """Return a term's number; None for one that no text holds."""
        ...


class Bm25Channel:
    """BM25 in Lucene's form over the terms of texts.

    The score of a text is the sum over the query's terms of `idf · tf / (tf + k1 · (1 − b + b · length / average))`,
    where `idf = ln(1 + (N − df + .5) / (df + .5))` is never negative, and lengths are counted in terms. A term that
    occurs twice in the query counts twice. Weights and sums are rounded to 32 bits.
    """

    def __init__(self, index: InvertedIndex, numbers: TermNumbers, analyze: Analyzer) -> None:
        """Take the weights of terms, the terms' numbers, and what turns a query's words into terms."""
        self._index, self._numbers, self._analyze = index, numbers, analyze

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` best texts that hold one of its terms."""
        return self._index.search_many([self._terms(query.text) for query in queries], k)

    def _terms(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        counts: dict[int, int] = {}
        for word in words(text):
            for term in self._analyze(word):
                number = self._numbers.get(term)
                if number is not None:
                    counts[number] = counts.get(number, 0) + 1
        return np.array(list(counts), dtype=np.int32), np.array(list(counts.values()), dtype=np.float32)


def bm25_channel(counted: Counts, analyze: Analyzer, k1: float, b: float) -> Bm25Channel:
    """Return the channel of texts by their counted words."""
    terms = count_terms(counted, analyze)
    columns, numbers = terms.matrix.tocsc(), terms.numbers
    # Large: the matrix by rows need not stay while that by columns is worked on.
    del terms
    return Bm25Channel(bm25_index(columns, k1, b), numbers, analyze)


def check_bm25(k1: float, b: float, stopwords: str | Sequence[str] = "") -> None:
    """Refuse what cannot be.

    Raises:
        ConfigError: if `k1` is below 0, `b` not in 0..1, or `stopwords` neither a list of words nor the name of one.
    """
    if not k1 >= 0 or not 0 <= b <= 1:
        raise ConfigError(f"retriever: option 'k1' must be at least 0 and 'b' from 0 to 1, not {k1} and {b}")
    if isinstance(stopwords, str) and stopwords and stopwords not in STOPWORDS:
        hint = nearest(stopwords, STOPWORDS)
        raise ConfigError(f"retriever: unknown stopwords '{stopwords}'; {hint} (or write a list of words)")
    if not isinstance(stopwords, str | list | tuple):
        raise ConfigError(f"retriever: option 'stopwords' must be a list of words, not {stopwords!r}")


@dataclass(frozen=True, slots=True)
class Analysis:
    """How texts become terms.

    Attributes:
        chars: into character n-grams; else into words.
        stemmer: see `word_analyzer`.
        stopwords: see `word_analyzer`.
    """

    chars: bool = False
    stemmer: bool = True
    stopwords: str | Sequence[str] = ""

    def analyzer(self, lang: str) -> Analyzer:
        """Return what turns a word into terms, in a language."""
        return char_analyzer() if self.chars else word_analyzer(lang, self.stemmer, self.stopwords)


def word_analyzer(lang: str, stemmer: bool = True, stopwords: str | Sequence[str] = "") -> Analyzer:
    """Return what turns a word into index terms.

    Args:
        lang: language of the texts; of an index in several languages all of them, as in `de+en+fr`. Then a word gives
            its terms in each: what two languages share stays one term, whichever stemmers they have.
        stemmer: bring words to their stems, where there is a stemmer for the language.
        stopwords: words left out, in any language, or `lucene` for the 33 of Lucene in English texts.
    """
    if isinstance(stopwords, str):
        left_out = LUCENE if stopwords and base_language(lang) == "en" else frozenset()
    else:
        left_out = frozenset(word for entry in stopwords for word in words(str(entry)))
    languages = lang.split("+") if stemmer else [""]
    if len(languages) == 1:
        return lambda word: [] if word in left_out else word_terms(word, languages[0])
    return lambda word: [] if word in left_out else _terms_in_all(word, languages)


def _terms_in_all(word: str, languages: Sequence[str]) -> list[str]:
    """Return the terms of a word in the first language, then those of the others that are new."""
    terms = word_terms(word, languages[0])
    for lang in languages[1:]:
        terms += [term for term in word_terms(word, lang) if term not in terms]
    return terms


def char_analyzer() -> Analyzer:
    """Return what turns a word into its character n-grams."""
    return partial(word_ngrams, shortest=SHORTEST, longest=LONGEST)


def bm25_index(counts: Any, k1: float, b: float) -> InvertedIndex:
    """Return the index of the weights of terms; `counts`, a float32 matrix by columns, is written over.

    Rows are texts, columns are terms.
    """
    n = counts.shape[0]
    discount = bm25_discount(np.asarray(counts.sum(axis=1), dtype=np.float64).ravel(), k1, b)
    frequency = np.diff(counts.indptr)
    weights = idf(n, frequency).astype(np.float32)
    for first, last in _slices(counts.indptr):
        part = slice(counts.indptr[first], counts.indptr[last])
        tf = counts.data[part]
        tf /= tf + discount[counts.indices[part]]
        tf *= np.repeat(weights[first:last], frequency[first:last])
    return InvertedIndex(counts.indptr, counts.indices, counts.data, n)


def bm25_discount(lengths: NDArray[np.float64], k1: float, b: float) -> NDArray[np.float32]:
    """Return `k1 · (1 − b + b · length / average)` of texts by their lengths in terms."""
    average = lengths.mean() if lengths.any() else 1.0
    return np.asarray(k1 * (1 - b + b * lengths / average), dtype=np.float32)


def _slices(starts: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with about `_PART` postings each."""
    first = 0
    while first < len(starts) - 1:
        last = max(int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1, first + 1)
        yield first, last
        first = last
