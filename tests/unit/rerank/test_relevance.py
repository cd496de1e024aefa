from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.rerank.relevance import parse_relevance


@pytest.mark.parametrize(
    ("reply", "relevance"),
    [
        ("7", 7),
        (" 10\n", 10),
        ("0", 0),
        ("**8**", 8),
        ("7.", 7),
        ("7/10", 7),
        ("10 / 10", 10),
        ('{"relevance": 6}', 6),
        ("Relevance (0-10): 10", 10),
        ("It names the year 2019, which is asked for: 9", 9),
        ("Die Relevanz ist 4.", 4),
        ("La pertinence est de 3", 3),
        ("Релевантность: ５", 5),
        ("相关性：７", 7),
        ("相关性：٩", 9),
        ("I first thought 3,\nbut now 10", 10),
        ("Passage 2 says less than passage 1.\n0", 0),
    ],
)
def test_the_last_number_decides(reply: str, relevance: int) -> None:
    assert parse_relevance(reply) == relevance


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "The passage is relevant.",
        "11",
        "100",
        "7.5",
        "7,5",
        "-3",
        "−3",
        "3-4",
        "3–4",
        "~7",
        "70 %",
        "70%",
        "5%",
        "4/5",
        "7/100",
        "7 / 10.5",
        "7 out of 10",
        "7 von 10",
        "满分10分，我给7分，即 7 分（满分 10 分）",
        "8, hence 42",
        "2019",
    ],
)
def test_what_is_off_the_scale_or_may_be_its_end_is_no_relevance(reply: str) -> None:
    assert parse_relevance(reply) is None


@given(st.text(), st.integers(0, 9))
def test_a_number_in_a_line_of_its_own_decides_whatever_stands_above(text: str, relevance: int) -> None:
    assert parse_relevance(f"{text}\nrelevance: {relevance}") == relevance


@given(st.text())
def test_no_reply_is_an_error(text: str) -> None:
    assert parse_relevance(text) in (None, *range(11))
