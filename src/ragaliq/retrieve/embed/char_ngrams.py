"""Character n-gram vectors: an embedder without weights, for any language.

N-grams see through inflection, compounds and typing errors that whole words miss; the singular value decomposition
brings together those that stand in the same texts.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.counts import Counts, count_terms, count_words, terms_of
from ragaliq.retrieve.embed.latent import LatentSpace, fit_latent_space
from ragaliq.text.terms import word_ngrams

SHORTEST, LONGEST = 2, 4
DIMENSION = 192
# The space is that of so many texts at most, and of so many n-grams, the most frequent ones.
SAMPLE = 4096
MOST = 2**17
_ROWS = 4096
_analyze = partial(word_ngrams, shortest=SHORTEST, longest=LONGEST)


class CharNgramEmbedder:
    """TF-IDF over character n-grams, `(1 + ln tf) · idf`, projected on the corpus's main directions, unit length.

    N-grams of `SHORTEST` to `LONGEST` characters are taken inside words, a blank marking a word's ends; unspaced
    scripts give 1-grams and 2-grams. Before `fit` has seen a corpus all n-grams weigh the same, and are spread over
    the dimensions by their hash.
    """

    def __init__(self, dimension: int = DIMENSION) -> None:
        if dimension < 1:
            raise ConfigError(f"embedder 'char-ngrams': option 'dimension' must be at least 1, not {dimension}")
        self.dimension = dimension
        self._known: Mapping[str, int] | None = None
        self._space: LatentSpace | None = None

    def __str__(self) -> str:
        """Name everything that decides the vectors of a given corpus."""
        return f"char-ngrams-{SHORTEST}-{LONGEST}-svd-{self.dimension}"

    def fit(self, passages: Sequence[str]) -> CharNgramEmbedder:
        """Return an embedder with the n-grams, their frequencies and the directions of a corpus, in any order.

        Of a large corpus a sample is learnt from, the same each time. The vectors have fewer than `dimension` entries
        if the corpus has fewer texts.
        """
        fitted = CharNgramEmbedder(self.dimension)
        counts = count_terms(count_words(_sample(passages)), _analyze)
        frequency = np.bincount(counts.matrix.indices, minlength=len(counts.numbers))
        grams = sorted(counts.numbers, key=lambda gram: (-frequency[counts.numbers[gram]], gram))[:MOST]
        if grams:
            fitted._known = {gram: number for number, gram in enumerate(grams)}
            fitted._space = fit_latent_space(counts.matrix[:, [counts.numbers[gram] for gram in grams]], self.dimension)
        return fitted

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; queries and passages are embedded alike."""
        words = count_words(texts)
        grams = terms_of(words.numbers, _analyze, self._known)
        space = self._space or _hashed(grams, self.dimension)
        parts = [
            space.project(words.matrix[start : start + _ROWS] @ grams.matrix) for start in range(0, len(texts), _ROWS)
        ]
        return np.concatenate([np.zeros((0, space.dimension), dtype=np.float32), *parts])


def _sample(passages: Sequence[str]) -> list[str]:
    """Return the texts that are learnt from, sorted: which they are does not depend on their order."""
    if len(passages) > SAMPLE:
        passages = sorted(passages, key=lambda text: zlib.crc32(text.encode("utf-8", "surrogatepass")))[:SAMPLE]
    return sorted(passages)


def _hashed(grams: Counts, dimension: int) -> LatentSpace:
    """Return the space in which each n-gram stands for one dimension, up or down, by its hash."""
    from scipy.sparse import csr_matrix

    n = len(grams.numbers)
    codes = np.array([zlib.crc32(gram.encode("utf-8")) for gram in grams.numbers], dtype=np.int64)
    signs = (1.0 - 2.0 * (codes & 1), (np.arange(n), (codes >> 1) % dimension))
    return LatentSpace(np.ones(n), csr_matrix(signs, shape=(n, dimension)))
