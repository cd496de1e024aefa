"""A reply read from JSON: what is missing stays empty, probabilities are probabilities."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.llm.reply import Reply, read_reply, read_usage, reply_from_row, reply_to_row
from ragaliq.types import TokenChoice, Usage


def completion(message: Any = None, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "ja"} if message is None else message, **choice}]}


def test_the_first_choice_is_read() -> None:
    value = completion({"role": "assistant", "content": "站 é\n"}, finish_reason="length")
    value["choices"].append({"message": {"content": "another"}})
    value["usage"] = {"prompt_tokens": 12, "completion_tokens": 0, "total_tokens": 12}
    assert read_reply(value, 3) == Reply("站 é\n", "length", False, 3, Usage(12, 0))


def test_no_text_is_an_empty_text() -> None:
    cases: list[Any] = [{}, {"content": None}, {"content": 7}, {"content": ["a"]}, "text", None, 7]
    for message in cases:
        assert read_reply({"choices": [{"message": message}]}, 1).text == "", message


def test_a_refusal_is_told() -> None:
    assert read_reply(completion({"content": None, "refusal": "I cannot."}), 1).refused
    assert not read_reply(completion({"content": "ja", "refusal": None}), 1).refused
    assert read_reply(completion(finish_reason=None), 1).finish_reason == ""


def test_usage_that_is_not_reported_is_none() -> None:
    cases: list[tuple[Any, Usage | None]] = [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 4)),
        ({"prompt_tokens": 3, "total_tokens": 3}, Usage(3, 0)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(0, 0)),
        ({}, None),
        (None, None),
        ([3, 4], None),
        ({"prompt_tokens": None, "completion_tokens": None}, None),
        ({"prompt_tokens": -3, "completion_tokens": 4}, None),
        ({"prompt_tokens": 3, "completion_tokens": "4"}, Usage(3, 0)),
    ]
    for value, usage in cases:
        assert read_usage(value) == usage, value


def test_log_probabilities_become_probabilities_best_first() -> None:
    tops = [{"token": "B", "logprob": math.log(0.25)}, {"token": "A", "logprob": math.log(0.5), "bytes": [65]}]
    value = completion(
        logprobs={
            "content": [
                {"token": "A", "logprob": math.log(0.5), "top_logprobs": tops},
                {"token": "站", "logprob": 0.0, "top_logprobs": []},
                {"token": "x", "logprob": -9999.0},
            ]
        }
    )
    first, second, third = read_reply(value, 1).logprobs
    assert read_reply(value, 1).tokens == ("A", "站", "x")
    assert [choice.token for choice in first] == ["A", "B"]
    assert [choice.prob for choice in first] == pytest.approx([0.5, 0.25])
    assert second == (TokenChoice("站", 1.0),)
    assert third == (TokenChoice("x", 0.0),)


def test_a_probability_is_at_most_one() -> None:
    value = completion(logprobs={"content": [{"token": "A", "logprob": 1e-7}]})
    assert read_reply(value, 1).logprobs == ((TokenChoice("A", 1.0),),)


def test_log_probabilities_of_another_shape_are_none() -> None:
    cases: list[Any] = [
        None,
        [],
        {"content": None},
        {"content": 7},
        {"content": ["A"]},
        {"content": [{"token": "A"}]},
        {"content": [{"token": "A", "logprob": "low"}]},
        {"tokens": ["A"], "token_logprobs": [-0.5]},
    ]
    for logprobs in cases:
        reply = read_reply(completion(logprobs=logprobs), 1)
        assert (reply.text, reply.logprobs) == ("ja", ()), logprobs


TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=6)
CHOICES = st.builds(TokenChoice, TEXTS, st.floats(0, 1))
REPLIES = st.builds(
    Reply,
    TEXTS,
    TEXTS,
    st.booleans(),
    st.integers(1, 9),
    st.none() | st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9)),
    st.lists(st.lists(CHOICES, max_size=3).map(tuple), max_size=3).map(tuple),
    TEXTS,
    st.lists(TEXTS, max_size=3).map(tuple),
)


@settings(max_examples=50, deadline=None)
@given(REPLIES)
def test_a_reply_survives_its_row(reply: Reply) -> None:
    assert repr(reply_from_row(json.loads(json.dumps(reply_to_row(reply))))) == repr(reply)
