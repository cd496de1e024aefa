"""Fitting prompts into a model's window."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import ConfigError
from ragaliq.read.local.window import Window, fitting_chunks


def test_the_lowest_chunks_are_left_out_whole() -> None:
    cases: list[tuple[int, int | None]] = [
        (27, 4),
        (100, 4),
        (26, 3),
        (23, 3),
        (22, 2),
        (21, 1),
        (15, 1),
        (14, 0),
        (10, 0),
        (9, None),
        (0, None),
        (-5, None),
    ]
    for limit, kept in cases:
        assert fitting_chunks(4, [10, 15, 22, 23, 27].__getitem__, limit) == kept, limit


def test_a_prompt_without_chunks_fits_or_does_not() -> None:
    assert fitting_chunks(0, lambda n: 10, 10) == 0
    assert fitting_chunks(0, lambda n: 10, 9) is None


@given(st.lists(st.integers(0, 50), max_size=70), st.integers(0, 20), st.integers(0, 600))
def test_as_many_chunks_are_kept_as_fit(costs: list[int], around: int, limit: int) -> None:
    lengths = list(accumulate(costs, initial=around))
    fitting = [n for n, length in enumerate(lengths) if length <= limit]
    assert fitting_chunks(len(costs), lengths.__getitem__, limit) == (fitting[-1] if fitting else None)


def test_few_lengths_are_counted() -> None:
    asked: list[int] = []

    def length(n: int) -> int:
        asked.append(n)
        return n

    assert fitting_chunks(60, length, 17) == 17
    # All of them, none of them, and the halvings of 60.
    assert len(asked) <= 2 + 6


def test_a_window_that_the_answer_would_fill_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^sampling: max_tokens 30 fills the 30 tokens of m; lower it$"):
        Window("m", 30, max_tokens=30)


def test_shortened_prompts_are_told_once_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    window = Window("org/model", 30, max_tokens=10)
    assert [window.fit(2, lambda n: one * n) for one in (5, 10, 11, 19)] == [2, 2, 1, 1]
    assert window.fit(1, lambda n: 21) is None
    assert capsys.readouterr().err == ""
    del window
    assert capsys.readouterr().err == (
        "note: 2 of 5 prompts were too long for the 30 tokens of org/model; their lowest chunks were left out\n"
    )


def test_prompts_that_lost_every_chunk_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    window = Window("m", 30, max_tokens=10)
    assert window.fit(2, lambda n: 21 * n) == 0
    del window
    assert capsys.readouterr().err.endswith("their lowest chunks were left out (1 kept none)\n")


def test_nothing_is_told_where_everything_fits(capsys: pytest.CaptureFixture[str]) -> None:
    window = Window("m", 30, max_tokens=10)
    assert window.fit(2, lambda n: 10 * n) == 2
    del window
    assert capsys.readouterr().err == ""
