"""What an answer cites, as separate answers: each sentence with one of the documents that it cites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragaliq.types import Answer


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that a sentence cites.

    Attributes:
        sentence: its number among those that the reader listed, from 1.
        doc_id: the document.
        alone: the sentence as an answer whose reader was shown this document alone; None if it was not shown at all.
    """

    sentence: int
    doc_id: str
    alone: Answer | None


def citations_of(answer: Answer) -> Iterator[Citation]:
    """Yield the citations of an answer in their order; none of one whose reader lists no sentences."""
    shown = {hit.chunk.doc_id: hit for hit in answer.context}
    for number, sentence in enumerate(answer.sentences, start=1):
        for doc_id in sentence.citations:
            alone = None
            if doc_id in shown:
                alone = replace(answer, text=sentence.text, context=(shown[doc_id],), sentences=())
            yield Citation(number, doc_id, alone)
