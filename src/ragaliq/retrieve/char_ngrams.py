"""Character n-gram vectors: an embedder without weights, for any language.

N-grams see through inflection, compounds and typing errors that whole words miss.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.text.analysis import char_ngrams, words

SHORTEST, LONGEST = 2, 4
Codes = NDArray[np.int64]


class CharNgramEmbedder:
    """TF-IDF over hashed character n-grams, `(1 + ln tf) · idf`, signed hash, unit length.

    N-grams of `SHORTEST` to `LONGEST` characters are taken inside words, a blank marking a word's ends; unspaced
    scripts give 1-grams and 2-grams. The document frequencies are those of the corpus that `fit` has seen; before
    that all n-grams weigh the same.
    """

    def __init__(self, dimension: int = 4096) -> None:
        if dimension < 1:
            raise ConfigError(f"embedder 'char-ngrams': option 'dimension' must be at least 1, not {dimension}")
        self.dimension = dimension
        self._known: Codes = np.zeros(0, dtype=np.int64)
        self._frequency: Codes = np.zeros(0, dtype=np.int64)
        self._n = 0

    def __str__(self) -> str:
        """Name everything that decides the vectors of a given corpus."""
        return f"char-ngrams-{SHORTEST}-{LONGEST}-{self.dimension}"

    def fit(self, passages: Sequence[str]) -> CharNgramEmbedder:
        """Return an embedder with the document frequencies of a corpus."""
        fitted = CharNgramEmbedder(self.dimension)
        every = [np.unique(_codes(text)) for text in passages] or [self._known]
        fitted._known, fitted._frequency = np.unique(np.concatenate(every), return_counts=True)
        fitted._n = len(passages)
        return fitted

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; queries and passages are embedded alike."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(_codes(text))
        return vectors

    def _vector(self, codes: Codes) -> NDArray[np.float64]:
        grams, counts = np.unique(codes, return_counts=True)
        weights = (1 + np.log(counts)) * self._idf(grams)
        vector = np.zeros(self.dimension)
        np.add.at(vector, (grams >> 1) % self.dimension, weights * (1.0 - 2.0 * (grams & 1)))
        norm = np.linalg.norm(vector)
        return vector / norm if norm else vector

    def _idf(self, grams: Codes) -> NDArray[np.float64]:
        """Return `ln(1 + (N − df + .5) / (df + .5))` of each n-gram, 1 without a corpus."""
        if not len(self._known):
            return np.ones(len(grams))
        at = np.minimum(np.searchsorted(self._known, grams), len(self._known) - 1)
        frequency = np.where(self._known[at] == grams, self._frequency[at], 0)
        return np.log1p((self._n - frequency + 0.5) / (frequency + 0.5))


def _codes(text: str) -> Codes:
    """Return the 32-bit hashes of the n-grams of `text`, repeats included."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *map(_word_codes, words(text))])


@lru_cache(maxsize=100_000)
def _word_codes(word: str) -> Codes:
    codes = [zlib.crc32(gram.encode("utf-8")) for gram in char_ngrams(word, SHORTEST, LONGEST)]
    return np.asarray(codes, dtype=np.int64)
