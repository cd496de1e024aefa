"""How sure a model was of its grade, from the candidates at the grade's place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragaliq.judge.confidence import Confidence, confidence_in
from ragaliq.judge.parse import parse_verdict
from ragaliq.llm import Reply
from ragaliq.types import TokenChoice

GRADES = range(6)
# Of the grade's token, best first.
FOUR = {"4": 0.6, "5": 0.2, " 3": 0.1, "four": 0.05}


def reply(tokens: Sequence[str], at: int, choices: dict[str, float], text: str | None = None) -> Reply:
    """A reply of these tokens; every other than the one `at` was certain."""
    places: list[tuple[TokenChoice, ...]] = [(TokenChoice(token, 1.0),) for token in tokens]
    places[at] = tuple(TokenChoice(token, prob) for token, prob in choices.items())
    return Reply("".join(tokens) if text is None else text, logprobs=tuple(places), tokens=tuple(tokens))


def confidence(said: Reply) -> Confidence | None:
    parsed = parse_verdict(said.text, GRADES)
    assert parsed.grade is not None
    return confidence_in(said, parsed.grade, parsed.place, GRADES)


def test_the_grades_at_the_place_are_weighed_by_their_probabilities() -> None:
    # (4 * .6 + 5 * .2 + 3 * .1) / .9; what is no grade does not count.
    expected = Confidence(round(3.7 / 0.9, 4), 0.6)
    cases: list[tuple[list[str], int]] = [
        (["Feedback", ": 4", " of 5.", " [RES", "ULT]", " ", "4"], 6),
        (["Feedback: 4", " [RESULT]", "4", "\n", "<|end|>"], 2),
        (['{"feedback": "4", ', '"refuses": "none", ', '"grade":', "4", "}"], 3),
        (['{"grade":', "4", ', "feedback": "4"}'], 1),
    ]
    for tokens, at in cases:
        text = "".join(tokens).removesuffix("<|end|>")
        assert confidence(reply(tokens, at, FOUR, text)) == expected, tokens


def test_one_grade_in_several_tokens_is_one_grade() -> None:
    said = reply(["[RESULT]", " 4"], 1, {" 4": 0.5, "4": 0.2, "４": 0.1, " 0": 0.2})
    # The token " 4" was written; all forms of a grade are that grade.
    assert confidence(said) == Confidence(round(3.2, 4), 0.8)


def test_tokens_that_are_parts_of_characters_do_no_harm() -> None:
    said = reply(["\\xe5\\xa5", "\\xbd", "。[RESULT]", " ", "4"], 4, FOUR, "好。[RESULT] 4")
    assert confidence(said) == Confidence(round(3.7 / 0.9, 4), 0.6)


def test_without_probabilities_that_fit_there_is_no_confidence() -> None:
    tokens = ["[RESULT]", " ", "4"]
    fits = reply(tokens, 2, FOUR)
    cases: dict[str, Reply] = {
        "none": Reply("[RESULT] 4"),
        "of another text": reply(["some", "thing", " else"], 2, FOUR, "[RESULT] 4"),
        "candidates without tokens": Reply("[RESULT] 4", logprobs=fits.logprobs),
        "tokens without candidates": Reply("[RESULT] 4", tokens=fits.tokens),
        "one place short": Reply("[RESULT] 4", logprobs=fits.logprobs[1:], tokens=fits.tokens),
        "no grade among them": reply(tokens, 2, {"four": 0.9}),
        "not the grade that was written": reply(tokens, 2, {"5": 0.9, "3": 0.1}),
        "impossible": reply(tokens, 2, {"4": 1.0, "5": 1.0}),
        "nothing": reply(tokens, 2, {"4": 0.0}),
        "the marker's own token": reply(["[RESULT] 4"], 0, {"[RESULT] 4": 1.0}),
    }
    for name, said in cases.items():
        assert confidence(said) is None, name


def test_certainty_is_one() -> None:
    assert confidence(reply(["[RESULT]", "4"], 1, {"4": 1.0005})) == Confidence(4.0, 1.0)


@pytest.mark.parametrize("place", [-1, 99])
def test_a_place_that_is_not_there(place: int) -> None:
    assert confidence_in(reply(["4"], 0, FOUR), 4, place, GRADES) is None
