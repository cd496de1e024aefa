"""The word channel: BM25 over the index terms of a language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.text.analysis import terms

K1, B = 0.9, 0.4


class Bm25Channel:
    """BM25 in Lucene's form, `idf = ln(1 + (N − df + .5) / (df + .5))`, never negative. A query term counts once."""

    def __init__(self, texts: Sequence[str], lang: str) -> None:
        import bm25s

        self._lang = lang
        self._size = len(texts)
        corpus = [terms(text, lang) for text in texts]
        self._known = {term for tokens in corpus for term in tokens}
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B)
        if self._known:
            self._index.index(corpus, show_progress=False)

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return the score of each text of the corpus; 0 where no term of the query stands."""
        tokens = [term for term in dict.fromkeys(terms(text, self._lang)) if term in self._known]
        if not tokens:
            return np.zeros(self._size)
        return np.asarray(self._index.get_scores(tokens), dtype=np.float64)
