"""Which documents contain what a person copied from them."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from ragaliq.build.documents.quotes import find_quote
from ragaliq.metrics.answers.overlap import tokens
from ragaliq.text.terms import UNSPACED, fold
from ragaliq.types import Chunk

# Exact quotes are searched for everywhere, others in the documents that share most of their words.
_NEAREST = 20
_LEAST_SHARED = 0.5


class DocumentFinder:
    """Finds quotes and answers in the documents of one language."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = sorted(chunks, key=lambda chunk: chunk.doc_id)
        self._folded = [_plain(chunk.text) for chunk in self._chunks]
        self._tokens = [frozenset(tokens(chunk.text)) for chunk in self._chunks]
        self.doc_ids = frozenset(chunk.doc_id for chunk in chunks)

    def holding_quote(self, quote: str) -> tuple[str, ...]:
        """Return the documents that a quote is in, as `documents.quotes` finds it."""
        verbatim = tuple(chunk.doc_id for chunk in self._chunks if quote.strip() and quote.strip() in chunk.text)
        if verbatim:
            return verbatim
        wanted = frozenset(tokens(quote))
        shared = [len(wanted & own) / max(len(wanted), 1) for own in self._tokens]
        nearest = sorted(range(len(shared)), key=lambda place: (-shared[place], place))[:_NEAREST]
        close = sorted(place for place in nearest if shared[place] >= _LEAST_SHARED)
        return tuple(
            self._chunks[place].doc_id for place in close if find_quote(quote, self._chunks[place].text) is not None
        )

    def holding_answer(self, answer: str) -> tuple[str, ...]:
        """Return the documents that contain an answer as whole words; case, form and white space do not count."""
        wanted = _plain(answer)
        if not wanted:
            return ()
        # Scripts without spaces have no word ends to look for.
        before = "" if UNSPACED.match(wanted[0]) else r"(?<![\p{L}\p{M}\p{N}])"
        after = "" if UNSPACED.match(wanted[-1]) else r"(?![\p{L}\p{M}\p{N}])"
        pattern = regex.compile(before + regex.escape(wanted) + after)
        places = (place for place, text in enumerate(self._folded) if pattern.search(text))
        return tuple(self._chunks[place].doc_id for place in places)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
