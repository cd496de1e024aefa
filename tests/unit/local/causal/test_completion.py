"""From tokens to a text. Here a token is a number, and means one letter or a piece of one."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.local.causal.completion import Completion, completed
from ragaliq.types import TokenChoice, TokenChoices

END, OTHER_END, PAD = 90, 91, 92
# 6 and 7 are the two halves of one character, as bytes of UTF-8 may be.
PIECES = {1: "a", 2: "b", 3: "。", 4: "stop", 5: "s", 6: "船\0", 7: "\0", 8: "to", 9: "pped"}


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
