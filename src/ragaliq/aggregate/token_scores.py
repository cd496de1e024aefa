"""The token-level language consistency of the RAGaliq sources, for readers that give log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ragaliq.metrics.answers.token_language import TokenLanguages, token_consistency, token_counts
from ragaliq.types import Answer, Chunk, Item


class TokenScores:
    """Scores answers by the tokens of the benchmark's corpora, counted when the first answer needs it.

    A reader takes part if it has `tokens(text)`, its own tokens of a text; the score is None for others, and for
    answers without log-probabilities, and for queries in a language without a corpus. The languages are those that were
    loaded, that of a knowledge base in another language included.
    """

    def __init__(self, reader: object, chunks: Mapping[str, Sequence[Chunk]]) -> None:
        tokens = getattr(reader, "tokens", None)
        self._tokens: Callable[[str], list[str]] | None = tokens if callable(tokens) else None
        self._chunks = chunks
        self._languages: TokenLanguages | None = None

    def of(self, item: Item, answer: Answer) -> float | None:
        """Return an answer's score, in 0..1."""
        if self._tokens is None or not answer.logprobs or item.query.lang not in self._chunks:
            return None
        if self._languages is None:
            # Chunks overlap; each line counts once.
            lines = {
                lang: dict.fromkeys(line for chunk in own for line in chunk.text.splitlines())
                for lang, own in self._chunks.items()
            }
            self._languages = TokenLanguages(token_counts(lines, self._tokens))
        return token_consistency(answer.logprobs, self._tokens(item.reference.strip()), self._languages)
