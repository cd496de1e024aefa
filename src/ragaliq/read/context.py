"""The context: the ranked chunks that fit the reading budget, each line shown once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragaliq.text.terms import is_wide
from ragaliq.types import Hit


def fill_context(hits: Sequence[Hit], context_k: int, context_chars: int) -> tuple[Hit, ...]:
    """Return what a reader is shown: the best chunks first, until `context_k` chunks or `context_chars` are spent.

    Of a chunk only the lines are shown that no better chunk has shown, as far as they fit, so overlapping chunks cost
    nothing twice. A chunk with no new line is passed over; of a first line that is longer than the budget, what fits is
    shown, so that the context is never empty. Where the chunks are written in Han, kana or hangul the budget is a
    third: a character of these scripts carries about as much text as three letters. Ranks stay those of the retrieval.
    """
    left = context_chars // 3 if is_wide("".join(hit.chunk.text for hit in hits[:10])) else context_chars
    shown: set[str] = set()
    context: list[Hit] = []
    for hit in hits:
        if len(context) == context_k:
            break
        lines: list[str] = []
        for line in hit.chunk.text.splitlines():
            text = line.strip() if shown else line.strip()[:left]
            # Lines are joined by line ends, which are read, too.
            cost = len(text) + bool(lines)
            if text and text not in shown and cost <= left:
                shown.add(text)
                lines.append(text)
                left -= cost
        if lines:
            context.append(replace(hit, chunk=replace(hit.chunk, text="\n".join(lines))))
    return tuple(context)
