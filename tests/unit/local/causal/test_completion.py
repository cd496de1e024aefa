"""From tokens to a text. Here a token is a number, and means one letter or a piece of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, cast

import pytest

from ragaliq.local.causal.completion import Completion, completed, decoder
from ragaliq.local.causal.engine import Engine, complete_with_room
from ragaliq.local.causal.sampling import Sampling
from ragaliq.types import TokenChoice, TokenChoices

END, OTHER_END, PAD = 90, 91, 92
# 6 and 7 are the two halves of one character, as bytes of UTF-8 may be.
OPEN, CLOSE = 93, 94
PIECES = {
    OPEN: "<think>",
    CLOSE: "</think>",
    1: "a",
    2: "b",
    3: "。",
    4: "stop",
    5: "s",
    6: "船\0",
    7: "\0",
    8: "to",
    9: "pped",
}


class AddedToken(NamedTuple):
    """A token as a tokenizer lists it."""

    content: str
    special: bool


def decode(ids: Sequence[int]) -> str:
    text = "".join(PIECES.get(token, "") for token in ids)
    return text.replace("\0\0", "").replace("船\0", "�")


def choices(n: int) -> TokenChoices:
    return tuple((TokenChoice(f"t{i}", 0.5),) for i in range(n))


def test_an_answer_ends_at_the_first_end() -> None:
    cases: list[tuple[list[int], tuple[str, ...], Completion]] = [
        # Cut by the greatest length.
        ([1, 2, 1], (), Completion("aba", 3, False, choices(3))),
        # The end token is counted and not shown; what follows is padding.
        ([1, END, PAD, PAD], (), Completion("a", 2, True, choices(1))),
        ([1, 2, OTHER_END], (), Completion("ab", 3, True, choices(2))),
        ([END, 1, 1], (), Completion("", 1, True, ())),
        ([], (), Completion("", 0, False, ())),
        # A stop text ends the answer before it, wherever in the tokens it is.
        ([1, 3, 2, 2], ("。",), Completion("a", 2, True, choices(1))),
        ([1, 5, 8, 9, 2], ("stop",), Completion("a", 4, True, choices(1))),
        ([1, 5, 8, 9, 2], ("topp", "ped"), Completion("as", 4, True, choices(2))),
        ([4, 1, END], ("stop",), Completion("", 1, True, ())),
        # The first of several counts; one behind the end token does not.
        ([1, 2, 3, 4], ("stop", "。"), Completion("ab", 3, True, choices(2))),
        ([1, END, 3], ("。",), Completion("a", 2, True, choices(1))),
        # A character of two tokens is kept whole.
        ([6, 7, 3], ("。",), Completion("船", 3, True, choices(2))),
    ]
    for ids, stop, expected in cases:
        assert completed(ids, {END, OTHER_END}, stop, decode, choices(len(ids))) == expected, ids


def test_a_thought_is_no_part_of_the_text() -> None:
    ends = {END, OTHER_END}
    assert completed([OPEN, 1, CLOSE, 2, END], ends, (), decode, choices(5)) == Completion(
        "b", 5, True, choices(5)[3:4], "a"
    )
    # The prompt opened it.
    assert completed([1, CLOSE, 2, 2, END], ends, (), decode, choices(5), "<think>\n") == Completion(
        "bb", 5, True, choices(5)[2:4], "a"
    )
    for ids, opened in (([OPEN, 1], ""), ([1], "<think>\n"), ([OPEN, 1, END], "")):
        cut = completed(ids, ends, (), decode, opened=opened)
        assert (cut.text, cut.reasoning, cut.finished, cut.cut_thinking) == ("", "a", False, True), ids
    assert completed([1, 3], ends, (), decode, opened="<think>").text == ""
    assert not completed([1, 2], ends, (), decode).cut_thinking and completed([], ends, (), decode).cut_thinking


def test_the_tokens_around_a_thought_are_shown() -> None:
    class Tokenizer:
        all_special_ids: ClassVar = [END]
        added_tokens_decoder: ClassVar = {
            END: AddedToken("<|im_end|>", True),
            OPEN: AddedToken("[THINK]", True),
            PAD: AddedToken("<tool>", False),
        }

        def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
            pieces = {END: "<|im_end|>", OPEN: "[THINK]", PAD: "<tool>", 1: "a"}
            return "".join(pieces[n] for n in ids if not (skip_special_tokens and n in (END, OPEN)))

    decode: Any = decoder(cast(Any, Tokenizer()))
    assert decode([1, END, PAD]) == "a<tool>"
    assert decode([OPEN, 1, END, PAD]) == "[THINK]a<tool>"


class Halves(Engine):
    """An engine that thinks until it has 50 tokens."""

    def complete(self, prompts: Sequence[list[int]], sampling: Sampling) -> list[Completion | None]:
        limits.append((len(prompts), sampling.max_tokens))
        cut = Completion("", sampling.max_tokens, False, reasoning="hm")
        whole = Completion("a", 50, True, reasoning="hm.")
        return [
            (whole if sampling.max_tokens >= 50 or prompt == [1] else cut) if prompt else None for prompt in prompts
        ]


limits: list[tuple[int, int]] = []


@pytest.mark.parametrize(("window", "asked"), [(1000, [(3, 10), (1, 80)]), (42, [(3, 10), (1, 40)]), (12, [(3, 10)])])
def test_what_was_cut_while_thinking_is_written_again_with_room(window: int, asked: list[tuple[int, int]]) -> None:
    limits.clear()
    prompts: list[list[int]] = [[1], [], [2, 2]]
    done = complete_with_room(Halves(cast(Any, None), window), prompts, Sampling(max_tokens=10))
    assert limits == asked
    assert [one and one.text for one in done] == ["a", None, "a" if window == 1000 else ""]
