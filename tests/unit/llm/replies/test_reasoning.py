"""Answer and thought apart: every known form, what is a mention, and time that grows with the text."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import THOUGHT_FORMS
from ragaliq.llm.replies.reasoning import (
    Split,
    is_in_thought,
    is_mark,
    joined_thoughts,
    kept_tokens,
    opened_by,
    split_reasoning,
    thinking_limit,
)

THOUGHT, ANSWER = "The guests ask when it opens. Seven?", "At seven."


def parts(text: str) -> tuple[str, str, bool]:
    split = split_reasoning(text)
    return split.answer, split.thought, split.is_open


@pytest.mark.parametrize(("opening", "closing"), THOUGHT_FORMS)
def test_every_form_is_taken_out(opening: str, closing: str) -> None:
    # In the form without any sign, only what no language writes is a mark.
    for blank in ("", "\n", "\n\n")[: 1 if opening == "analysis" else 3]:
        text = f"{opening}{blank}{THOUGHT}{blank}{closing}{blank}{ANSWER}"
        split = split_reasoning(text)
        assert (split.answer, split.is_open) == (ANSWER, False)
        assert THOUGHT in split.thought
        assert text[split.start : split.end] == ANSWER
    assert parts(f"{opening}{closing}{ANSWER}")[0] == ANSWER


@pytest.mark.parametrize(("opening", "closing"), THOUGHT_FORMS)
def test_a_thought_without_an_end_is_open(opening: str, closing: str) -> None:
    answer, thought, is_open = parts(f"{opening}{THOUGHT}")
    assert (answer, is_open) == ("", True)
    assert THOUGHT in thought


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # A template opened it.
        (f"{THOUGHT}\n</think>\n\n{ANSWER}", ANSWER),
        (f"{THOUGHT}</think>{ANSWER}", ANSWER),
        (f"{THOUGHT} </think> {ANSWER}", ANSWER),
        (f"{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>", ANSWER),
        # Several, one within another, one after another, and one between the parts of the answer.
        (f"<think>a</think>\n<think>b</think>\n{ANSWER}", ANSWER),
        (f"<think>a\n<think>b</think>c</think>{ANSWER}", ANSWER),
        (f"<think>a <think>b</think> c</think>{ANSWER}", ANSWER),
        (f"<think>\n<think>\na</think>{ANSWER}", ANSWER),
        (f"<think>\nThey ask about <think> tags.\n</think>{ANSWER}", ANSWER),
        (f"<think>a\n<reflection>b</reflection></think>{ANSWER}", ANSWER),
        ("First.\n<think>\na\n</think>\nSecond.", "First.\n\nSecond."),
        # Quotes around the tag that ends the thought do not make it a mention.
        ('<think>It is "seven"</think>"At seven."', '"At seven."'),
        ("<think>I close with `</think>` then.</think>At seven.", ANSWER),
        # Case, and names that models mix.
        (f"<THINK>a</THINK>{ANSWER}", ANSWER),
        (f"<thinking>a</think>{ANSWER}", ANSWER),
        (f"<think>a</thinking >{ANSWER}", ANSWER),
        # What stands around the answer goes with the thought.
        (f"<think>a</think>\n<answer>\n{ANSWER}\n</answer>", ANSWER),
        (f"<think>a</think><response>{ANSWER}</response>\n", ANSWER),
        (f"<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>", ANSWER),
        (f"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>", ANSWER),
        (f"<|channel|>final<|message|>{ANSWER}", ANSWER),
        (f"<|channel|>final <|constrain|>json<|message|>{ANSWER}", ANSWER),
    ],
)
def test_what_comes_before_the_last_end_is_thought(text: str, answer: str) -> None:
    assert parts(text)[::2] == (answer, False)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "",
        "The model writes `<think>` first, and `</think>` last.",
        'It begins with "<think>" (or <thinking>) and ends with "</think>".',
        "The tag <think> opens a thought, and </think> closes it.",
        "The thought ends with </think>.",
        "Код `</think>` завершает рассуждение.",
        "标签“</think>”表示思考结束。",
        "So:\n```xml\n<think>\nHm.\n</think>\n```\nThat is all.",
        '{"feedback": "It says.</think>Paris", "grade": 2}',
        "I think [so] <b>at seven</b> | <reason>none</reason>",
        "analysis of the harbour: it opens at seven.",
        "Use `<think>Hm.</think>` there.",
    ],
)
def test_a_mention_stays(text: str) -> None:
    assert split_reasoning(text) == Split(text, "", False, 0, len(text))
    # Behind a thought, too.
    assert parts(f"<think>Hm.</think>\n{text}")[:2] == (text.strip(), "Hm.") or text.startswith("analysis")


def test_another_end_leaves_it_open() -> None:
    for end in ("</reasoning>", "</reflection>", "<channel|>", "<|inner_suffix|>"):
        assert split_reasoning(f"<think>{THOUGHT}{end}{ANSWER}").is_open, end
    assert split_reasoning("<think>a\n<think>b</think>c").is_open
    # An answer that had begun is left.
    assert parts(f"{ANSWER}\n<think>\nOr not") == (ANSWER, "Or not", True)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["<think>", "</think>", "`", "\n", "a ", "<|channel|>final<|message|>", '"', "{"])))
def test_parts_are_of_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    split = split_reasoning(text)
    assert 0 <= split.start <= split.end <= len(text)
    assert all(part in text for part in split.answer.split("\n\n"))
    if not split.thought and not split.is_open and "<" not in text:
        assert split.answer == text


@pytest.mark.parametrize(
    "piece",
    ["<think>", "<", "\n<think>x", "\n<think>x\n<reasoning>y", "x </think> y", "`<think>", "```\n<think>\n",
     "</answer>", "</think>{", "<think", "<|channel|>analysis", "◁", "<a:", "{", " "],
)  # fmt: skip
def test_time_grows_with_the_text(piece: str) -> None:
    def seconds(n: int) -> float:
        text = piece * (n // len(piece))
        begin = time.process_time()
        split_reasoning(text)
        is_in_thought(text, len(text))
        return time.process_time() - begin

    # Quadratic time would be a hundredfold.
    seconds(1_000)
    assert seconds(100_000) < 40 * max(seconds(10_000), 0.002)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<think>", "<"])
def test_a_megabyte_takes_seconds_at_most(piece: str) -> None:
    begin = time.process_time()
    split_reasoning(piece * (1_000_000 // len(piece)))
    assert time.process_time() - begin < 5


def test_tokens_of_the_thought_are_left_out() -> None:
    text = "<think>At ten</think>At seven"
    tokens = ["<think>", "At", " ten", "</think>", "At", " sev", "en"]
    assert kept_tokens(tokens, text, split_reasoning(text)) == slice(4, 7)
    # A token that ends the text, or is part of a character.
    assert kept_tokens([*tokens, "<|end|>"], text, split_reasoning(text)) == slice(4, 8)
    assert kept_tokens(
        ["<think>", "\ufffd", "</think>", "站"], "<think>é</think>站", split_reasoning("<think>é</think>站")
    ) == slice(3, 4)
    wrapped = "<think>a</think><answer>b</answer>"
    pieces = ["<think>", "a", "</think>", "<answer>", "b", "</answer>"]
    assert kept_tokens(pieces, wrapped, split_reasoning(wrapped)) == slice(4, 5)
    # Reported apart, but with its tokens.
    assert kept_tokens(["hm", "At", " seven"], "At seven", split_reasoning("At seven")) == slice(1, 3)
    assert kept_tokens(["<think>", "a"], "<think>a", split_reasoning("<think>a")) == slice(2, 2)


def test_what_may_be_a_thought() -> None:
    cases = [
        ("5", 0, False),
        ("<think>5", 7, True),
        ("x <think> 5", 10, True),
        ("5 </reasoning>", 0, True),
        ("<think>a</think>5", 16, False),
        ("`<think>` 5", 10, False),
    ]
    for text, place, expected in cases:
        assert is_in_thought(text, place) is expected, text


def test_small_parts() -> None:
    assert joined_thoughts("", "a", "", "b") == "a\n\nb"
    assert opened_by("…<|im_start|>assistant\n<think>\n") == "<think>\n"
    assert opened_by("<think>\n\n</think>\n\n") == opened_by("") == ""
    assert is_mark("[THINK]") and is_mark("<|channel|>") and not is_mark("<|im_end|>")
    assert [thinking_limit(n) for n in (64, 512, 1024, 4096, 20_000)] == [512, 4096, 8192, 16_384, 20_000]


def test_a_long_json_reply_is_left() -> None:
    text = json.dumps({"feedback": "a\n<think>", "grade": 1})
    assert split_reasoning(text).answer == text


ANSWERS = {
    "en": "The gate opens at seven.",
    "de": "Das Tor öffnet um sieben.",
    "fr": "La porte ouvre à sept heures.",
    "es": "La puerta abre a las siete.",
    "ru": "Ворота открываются в семь.",
    "zh": "大门七点开放。",
}


@pytest.mark.parametrize("name", ["think", "thinking", "reasoning", "reflection"])
def test_a_thought_behind_an_answer_takes_itself_alone(name: str) -> None:
    for answer in ANSWERS.values():
        for text in (f"{answer} <{name}>so it says</{name}>", f"<{name}>so it says</{name}>\n{answer}"):
            split = split_reasoning(text)
            assert (split.answer, split.thought) == (answer, "so it says"), text
        twice = split_reasoning(f"<{name}>a</{name}>\n{answer} <{name}>b</{name}>")
        assert (twice.answer, twice.thought) == (answer, "a\n\nb")
    assert split_reasoning(f'{{"grade": 5}} <{name}>sure</{name}>').answer == '{"grade": 5}'


@pytest.mark.parametrize(
    "text",
    [
        "模型在思考前输出<think>，思考后输出</think>。",
        "Utilisez « </think> » pour fermer.",
        "Utilisez «\u00a0</think>\u00a0» pour fermer.",
        "Close it with **</think>** at the end.",
        "| tag | use |\n| </think> | close |",
        "- <think>: opens\n- </think>: closes",
        "1. <think> opens\n2. </think> closes",
        "Das Tag </think> Ende bedeutet, dass Schluss ist.",
        "Тег <think> открывает, </think> закрывает.",
        "Use <think>reasoning</think> tags in the prompt.",
    ],
)
def test_a_tag_that_is_explained_stays(text: str) -> None:
    split = split_reasoning(text)
    assert (split.answer, split.thought, split.is_open) == (text, "", False)
