"""The sentence encoder as an embedder: meaning in fifteen languages, without a model hub."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.execution.progress import watched
from ragaliq.retrieve import Side
from ragaliq.text.sentence_encoder import NAME, encode, knows


class UseMultilingualEmbedder:
    """Embeds with the multilingual sentence encoder; queries and passages are embedded alike.

    Attributes:
        weight: of its channel in the hybrid, where words and characters weigh 1 each (`studies/retrieval/quality.py`).
        of_candidates: the hybrid embeds the best of what words and characters find, not the whole corpus: 100,000
            passages would take half an hour.
    """

    weight = 1.25
    of_candidates = True

    def __str__(self) -> str:
        """Name everything that decides the vectors."""
        return NAME

    def knows(self, lang: str) -> bool:
        """Return whether it was trained on a language."""
        return knows(lang)

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; a blank one gets zeros.

        Raises:
            ConfigError: if the encoder cannot be loaded.
        """
        rows = [encode([text]) for text in watched(texts, "embedding", len(texts), "text")]
        return np.concatenate(rows) if rows else encode(texts)
