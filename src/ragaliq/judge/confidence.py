"""How sure a judge's model was of the grade that it wrote, where its endpoint gives probabilities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import regex

from ragaliq.judge.unmasked import unmask
from ragaliq.llm import Reply

# A token that is a grade, perhaps with the space before it or the full stop behind it.
_GRADE_TOKEN = regex.compile(r"\W*([0-9])\W*")
_DIGITS = 4
# Numbers whose sum exceeds 1 by more than rounding are no probabilities.
_MOST = 1.001


@dataclass(frozen=True, slots=True)
class Confidence:
    """Of a grade: the mean of all grades at its place, weighted by their probabilities, and its own probability."""

    expected_grade: float
    confidence: float


def confidence_in(reply: Reply, grade: int, place: int, grades: Collection[int]) -> Confidence | None:
    """Return how sure a reply is of its grade, which is at `place` of its text.

    Of the candidates for that token only grades count, and the mean is over these. None if the reply has no
    probabilities, if they do not fit its text, or if the grade is no token by itself.
    """
    at = _token_at(reply, place)
    if at is None or len(reply.tokens) != len(reply.logprobs):
        return None
    probs: dict[int, float] = {}
    for choice in reply.logprobs[at]:
        token = _GRADE_TOKEN.fullmatch(unmask(choice.token).text)
        if token and int(token[1]) in grades:
            probs[int(token[1])] = probs.get(int(token[1]), 0.0) + choice.prob
    total = sum(probs.values())
    if not probs.get(grade) or total > _MOST:
        return None
    expected = sum(value * prob for value, prob in probs.items()) / total
    return Confidence(round(expected, _DIGITS), round(min(1.0, probs[grade]), _DIGITS))


def _token_at(reply: Reply, place: int) -> int | None:
    """Return which of a reply's tokens holds the character at a place of its text.

    It is counted from the end: tokens before it may be parts of characters, and then do not add up to the text.
    """
    rest = reply.text[place:].rstrip() if place >= 0 else ""
    start = "".join(reply.tokens).rfind(rest) if rest else -1
    if start < 0:
        return None
    end = 0
    for number, token in enumerate(reply.tokens):
        end += len(token)
        if end > start:
            return number
    return None
