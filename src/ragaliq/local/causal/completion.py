"""From the tokens that a model wrote to a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ragaliq.types import TokenChoices


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote after a prompt.

    Attributes:
        text: without end tokens, and up to the first stop text.
        n_tokens: tokens written, an end token and those of a stop text included.
        finished: whether the model came to an end by itself, or by a stop text; if not, `max_tokens` cut it.
        choices: the candidates for each token of `text`; empty if they were not asked for.
    """

    text: str
    n_tokens: int
    finished: bool
    choices: TokenChoices = ()


def completed(
    ids: Sequence[int],
    ends: Collection[int],
    stop: Sequence[str],
    decode: Callable[[Sequence[int]], str],
    choices: TokenChoices = (),
) -> Completion:
    """Return what the tokens `ids` say up to the first end token or stop text; what follows either is padding.

    Args:
        ids: the tokens that were generated.
        ends: the tokens that end an answer.
        stop: the texts that end an answer.
        decode: turns tokens into text, without special tokens.
        choices: the candidates for each of `ids`, or nothing.
    """
    end = next((at for at, token in enumerate(ids) if token in ends), None)
    written = ids if end is None else ids[:end]
    text = decode(written)
    stops = [at for at in (text.find(word) for word in stop) if at >= 0]
    if not stops:
        return Completion(text, len(written) + (end is not None), end is not None, choices[: len(written)])
    kept = text[: min(stops)]
    # The first place with the whole text, and the first where a stop text has been completed.
    n_kept = next(n for n in range(len(written) + 1) if decode(written[:n]).startswith(kept))
    n_tokens = next(n for n in range(n_kept, len(written) + 1) if any(word in decode(written[:n]) for word in stop))
    return Completion(kept, n_tokens, True, choices[:n_kept])
