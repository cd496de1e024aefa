"""How many tokens a text has, roughly: for plans and budgets, where no tokenizer is at hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

# Characters per token of today's multilingual tokenizers, rounded down so that estimates are too high rather than too
# low: Latin letters about 4, other alphabets about 2, Han and kana about 1, digits and marks 1. The sample corpora are
# estimated at 1.1 (de, fr, es) to 1.5 times (ru) the tokens of OpenAI's o200k_base, no chunk under .95.
_LATIN, _OTHER = 3.5, 2.0
_LATIN_TO, _WIDE_FROM = "\u0250", "\u2e80"
_PER_MESSAGE = 8


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` has; 0 for an empty text."""
    # Each character is looked at once: requests repeat most of theirs.
    counts = [(char, n) for char, n in Counter(text).items() if char < _WIDE_FROM and char.isalpha()]
    letters = sum(n for _, n in counts)
    latin = sum(n for char, n in counts if char < _LATIN_TO)
    # A space belongs to the word after it.
    alone = len(text) - letters - text.count(" ")
    return math.ceil(latin / _LATIN + (letters - latin) / _OTHER + alone)


def estimate_chat(messages: Iterable[Mapping[str, str]]) -> int:
    """Return about how many tokens a chat request has."""
    return sum(estimate_tokens(message["content"]) + _PER_MESSAGE for message in messages)
