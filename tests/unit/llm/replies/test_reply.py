"""A reply read from JSON: what is missing stays empty, probabilities are probabilities."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.llm.replies.reply import (
    Reply,
    read_reply,
    read_usage,
    read_vectors,
    reply_from_row,
    reply_to_row,
    vectors_from_row,
)
from ragaliq.types import TokenChoice, Usage


def completion(message: Any = None, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "ja"} if message is None else message, **choice}]}


def test_the_first_choice_is_read() -> None:
    value = completion({"role": "assistant", "content": "站 é\n"}, finish_reason="length")
    value["choices"].append({"message": {"content": "another"}})
    value["usage"] = {"prompt_tokens": 12, "completion_tokens": 0, "total_tokens": 12}
    assert read_reply(value, 3) == Reply("站 é\n", "length", False, 3, Usage(12, 0))


def test_no_text_is_an_empty_text() -> None:
    cases: list[Any] = [{}, {"content": None}, {"content": 7}, {"content": [7]}, "text", None, 7]
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


def test_the_choice_of_the_least_index_is_read() -> None:
    choices = [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]
    assert read_reply({"choices": choices}, 1).text == "a"
    bare = [{"message": {"content": "a"}}, {"index": None, "message": {"content": "b"}}]
    assert read_reply({"choices": bare}, 1).text == "a"


def test_a_thought_leaves_the_text_and_its_tokens() -> None:
    written = ["<think>", "At ten?", "</think>", "At", " seven."]
    places = [{"token": token, "logprob": 0.0} for token in written]
    reply = read_reply(completion({"content": "".join(written)}, logprobs={"content": places}), 1)
    assert (reply.text, reply.reasoning, reply.tokens) == ("At seven.", "At ten?", ("At", " seven."))
    assert len(reply.logprobs) == 2
    both = read_reply(completion({"content": "<think>b</think>c", "reasoning_content": "a"}), 1)
    assert (both.text, both.reasoning) == ("c", "a\n\nb")
    # Reported apart, with the tokens of both.
    apart = completion({"content": "At seven.", "reasoning": "At ten?"}, logprobs={"content": places})
    assert read_reply(apart, 1).tokens == ("At", " seven.")


def test_a_thought_that_never_ends_is_cut() -> None:
    reply = read_reply(completion({"content": "<think>At ten?"}, finish_reason="stop"), 1)
    assert reply == Reply("", "length", reasoning="At ten?")
    cut = read_reply(completion({"content": "<think>At ten?"}, finish_reason="length"), 1)
    assert cut == Reply("", "length", reasoning="At ten?", cut_thinking=True)
    assert (
        read_reply(completion({"content": "<think>"}, finish_reason="content_filter"), 1).finish_reason
        == "content_filter"
    )
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}}
    cases: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
        ({"content": "At", "reasoning_content": "x"}, {}, True),
        ({"content": "At"}, {"usage": usage}, True),
        ({"content": None}, {}, True),
        ({"content": "At"}, {}, False),
        ({"content": "At"}, {"usage": {"completion_tokens_details": 7}}, False),
    ]
    for message, more, is_cut in cases:
        assert read_reply({**completion(message, finish_reason="length"), **more}, 1).cut_thinking is is_cut, message


def test_a_reply_that_an_earlier_version_kept_loses_its_thought() -> None:
    row = json.loads(json.dumps(reply_to_row(Reply("<think>a</think>b"))))
    assert reply_from_row(row) == Reply("<think>a</think>b")
    del row["cut_thinking"]
    assert reply_from_row(row) == Reply("b", reasoning="a")


def test_a_probability_beyond_all_numbers_is_none() -> None:
    value = completion(logprobs={"content": [{"token": "A", "logprob": -(10**400)}]})
    assert (read_reply(value, 1).text, read_reply(value, 1).logprobs) == ("ja", ())


# With halves of surrogate pairs, but no two that JSON would join.
TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]), max_size=6).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
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
    st.booleans(),
)


@settings(max_examples=50, deadline=None)
@given(REPLIES)
def test_a_reply_survives_its_row(reply: Reply) -> None:
    assert repr(reply_from_row(json.loads(json.dumps(reply_to_row(reply))))) == repr(reply)


def test_a_log_probability_out_of_range_loses_no_reply() -> None:
    for least in ("-1" + "0" * 400, "-1e999"):
        text = f'{{"content": [{{"token": "ja", "logprob": {least}}}]}}'
        reply = read_reply(completion(logprobs=json.loads(text)), 1)
        assert reply.text == "ja", least


@pytest.mark.parametrize(
    "change",
    [
        {"text": 7}, {"refused": "no"}, {"attempts": None}, {"usage": [1]}, {"usage": ["1", 2]}, {"logprobs": None},
        {"logprobs": [[["ja", "1"]]]}, {"logprobs": [[["ja", 10**400]]]}, {"tokens": 7}, {"reasoning": []},
    ],
)  # fmt: skip
def test_a_row_of_other_types_is_no_reply(change: dict[str, Any]) -> None:
    row = reply_to_row(Reply("ja", usage=Usage(1, 2), logprobs=((TokenChoice("ja", 0.5),),), tokens=("ja",)))
    assert reply_from_row(json.loads(json.dumps(row))) is not None
    assert reply_from_row({**row, **change}) is None


def test_vectors_without_numbers_stand_in_the_order_of_the_texts() -> None:
    for index in ({}, {"index": None}):
        data = [{"embedding": [1.0], **index}, {"embedding": [2.0], **index}]
        row, _ = read_vectors({"data": data}, 1, 2)
        assert row["vectors"] == [[1.0], [2.0]]


@pytest.mark.parametrize(
    "row", [None, {}, {"vectors": [[1.0]], "usage": None}, {"vectors": [[1.0], "x"], "usage": None}]
)
def test_a_row_of_other_vectors_is_asked_for_again(row: dict[str, Any] | None) -> None:
    assert vectors_from_row(row, 2) is None
    whole = {"vectors": [[1.0], [2]], "usage": None}
    assert vectors_from_row(whole, 2) == whole
