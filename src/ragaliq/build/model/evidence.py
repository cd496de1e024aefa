"""Evidence in a reply: quotes of passages, each located in its passage or rejected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragaliq.build.documents.quotes import find_quote
from ragaliq.build.model.ask import Unreadable
from ragaliq.build.model.prompts import NUMBER, TEXT, json_list, json_object
from ragaliq.types import Chunk

EVIDENCE = json_list(json_object({"passage": NUMBER, "quote": TEXT}))


def read_evidence(evidence: Any, chunks: Sequence[Chunk]) -> list[dict[str, Any]]:
    """Return the place of each quote: the chunk, the offsets in its source, and the text there.

    Args:
        evidence: what a reply has for it, numbered from 1 as the passages were shown.
        chunks: the passages.

    Raises:
        Unreadable: if an entry has no quote, names no passage, or its quote is not in the passage.
    """
    if not isinstance(evidence, list):
        raise Unreadable("'evidence' must be a list")
    located = []
    for entry in evidence:
        number, quote = (entry.get("passage"), entry.get("quote")) if isinstance(entry, dict) else (None, None)
        if type(number) is not int or not isinstance(quote, str):
            raise Unreadable("an entry of 'evidence' needs 'passage', a number, and 'quote', a text")
        if not 1 <= number <= len(chunks):
            raise Unreadable(f"there is no passage {number}; there are {len(chunks)}")
        chunk = chunks[number - 1]
        span = find_quote(quote, chunk.text)
        if span is None:
            raise Unreadable(f"the quote '{quote[:80]}' is not in its passage", "evidence not found")
        located.append({"doc_id": chunk.doc_id, "start": chunk.start + span[0], "end": chunk.start + span[1],
                        "quote": chunk.text[span[0] : span[1]]})  # fmt: skip
    return located


def passage_inputs(chunk: Chunk) -> list[Any]:
    """Return what decides evidence from a passage: its id and its text; `relocated` follows it to another place."""
    return [chunk.doc_id, chunk.text]
