"""From the tokens that a model wrote to a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragaliq.llm.replies.reasoning import is_mark, split_reasoning
from ragaliq.types import TokenChoices

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote after a prompt.

    Attributes:
        text: without end tokens and what the model thought before, and up to the first stop text.
        n_tokens: tokens written, an end token and those of a stop text included.
        finished: whether the model came to an end by itself, or by a stop text; if not, `max_tokens` cut it, or its
            thought never ended.
        choices: the candidates for each token of `text`; empty if they were not asked for.
        reasoning: what it thought before.
    """

    text: str
    n_tokens: int
    finished: bool
    choices: TokenChoices = ()
    reasoning: str = ""

    @property
    def cut_thinking(self) -> bool:
        """Whether it did not reach the end of its answer, and thinking took of its tokens."""
        return not self.finished and (bool(self.reasoning) or not self.text.strip())


def completed(
    ids: Sequence[int],
    ends: Collection[int],
    stop: Sequence[str],
    decode: Callable[[Sequence[int]], str],
    choices: TokenChoices = (),
    opened: str = "",
) -> Completion:
    """Return what the tokens `ids` say up to the first end token or stop text; what follows either is padding.

    Args:
        ids: the tokens that were generated.
        ends: the tokens that end an answer.
        stop: the texts that end an answer.
        decode: turns tokens into text, without special tokens.
        choices: the candidates for each of `ids`, or nothing.
        opened: the tag by which the prompt opened a thought, or nothing.
    """
    end = next((at for at, token in enumerate(ids) if token in ends), None)
    written = ids if end is None else ids[:end]
    text = decode(written)
    stops = [at for at in (text.find(word) for word in stop) if at >= 0]
    if not stops:
        whole = Completion(text, len(written) + (end is not None), end is not None, choices[: len(written)])
        return _without_thought(whole, written, decode, opened)
    kept = text[: min(stops)]
    # The first place with the whole text, and the first where a stop text has been completed.
    n_kept = next(n for n in range(len(written) + 1) if decode(written[:n]).startswith(kept))
    n_tokens = next(n for n in range(n_kept, len(written) + 1) if any(word in decode(written[:n]) for word in stop))
    return _without_thought(Completion(kept, n_tokens, True, choices[:n_kept]), written, decode, opened)


def decoder(tokenizer: PreTrainedTokenizerBase) -> Callable[[Sequence[int]], str]:
    """Return what turns tokens into text, without special tokens except those around a thought."""
    added = tokenizer.added_tokens_decoder.items()
    special = {number for number, token in added if token.special} | set(tokenizer.all_special_ids)
    shown = {number for number, token in added if number in special and is_mark(str(token.content))}

    def decode(ids: Sequence[int]) -> str:
        if shown.isdisjoint(ids):
            return str(tokenizer.decode(list(ids), skip_special_tokens=True))
        kept = [number for number in ids if number not in special or number in shown]
        return str(tokenizer.decode(kept, skip_special_tokens=False))

    return decode


def _without_thought(
    whole: Completion, written: Sequence[int], decode: Callable[[Sequence[int]], str], opened: str
) -> Completion:
    split = split_reasoning(opened + whole.text)
    if split.answer == opened + whole.text:
        return whole
    start, end = max(0, split.start - len(opened)), max(0, split.end - len(opened))

    def n_until(place: int) -> int:
        # So many tokens write the text up to a place.
        return bisect_left(range(len(whole.choices)), place, key=lambda n: len(decode(written[:n])))

    last = len(whole.choices) if end == len(whole.text) else n_until(end)
    kept = whole.choices[n_until(start) : last] if whole.choices else ()
    return replace(
        whole,
        text=split.answer,
        finished=whole.finished and not split.is_open,
        choices=kept,
        reasoning=split.thought,
    )
