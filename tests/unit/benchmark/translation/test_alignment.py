"""Sentences of two texts that belong together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.benchmark.translation.alignment import SentenceGroup, aligned

TEXT = st.text(st.sampled_from("ab A.!?。不1\n"), max_size=60)


def test_two_texts_of_equal_sentences_align_one_to_one() -> None:
    source = "The office is open on Monday. It closes at noon. Nobody waits."
    target = "Das Büro ist am Montag geöffnet. Es schließt mittags. Niemand wartet."
    assert [(len(group.source), len(group.target)) for group in aligned(source, target)] == [(1, 1)] * 3


@pytest.mark.parametrize(
    ("source", "target", "sizes"),
    [
        (
            "The ship sails at 07:40 in summer and at 09:15 in winter, when the sea is rough. Bring a pass.",
            "Im Sommer fährt das Schiff um 07:40 Uhr. Im Winter, bei rauer See, um 09:15 Uhr. Pass mitbringen.",
            [(1, 2), (1, 1)],
        ),
        (
            "The stay begins on 3 May. It ends on 9 June, after the last dive of the season. Form 12 is needed.",
            "停留自5月3日开始，至6月9日本季最后一次潜水之后结束。须填写12号表。",
            [(2, 1), (1, 1)],
        ),
        ("One sentence.", "", [(1, 0)]),
        ("", "Ein Satz. Noch ein Satz.", [(0, 2)]),
        ("", "", []),
    ],
)
def test_sentences_may_be_joined_parted_or_missing(source: str, target: str, sizes: list[tuple[int, int]]) -> None:
    assert [(len(group.source), len(group.target)) for group in aligned(source, target)] == sizes


def test_a_time_and_a_short_no_end_a_sentence() -> None:
    assert aligned("No. Nobody stays after 21:00. Lights go out.", "不行。21:00后任何人不得停留。熄灯。") == [
        SentenceGroup(("No.",), ("不行。",)),
        SentenceGroup(("Nobody stays after 21:00.",), ("21:00后任何人不得停留。",)),
        SentenceGroup(("Lights go out.",), ("熄灯。",)),
    ]


@given(TEXT, TEXT)
def test_every_sentence_is_in_one_group_in_order(source: str, target: str) -> None:
    groups = aligned(source, target)
    alone = [sentence for group in aligned(source, "") for sentence in group.source]
    assert [sentence for group in groups for sentence in group.source] == alone
    assert [sentence for group in groups for sentence in group.target] == [
        sentence for group in aligned("", target) for sentence in group.target
    ]
    assert all(group.source or group.target for group in groups)


@pytest.mark.parametrize(("short", "long"), [(1, 43), (2, 85), (3, 127), (3, 200), (12, 700)])
def test_a_long_text_and_a_short_one_are_aligned_in_both_directions(short: int, long: int) -> None:
    one, many = "Ein Tag. " * short, "One day passes. " * long
    for source, target, sizes in ((one, many, (short, long)), (many, one, (long, short))):
        groups = aligned(source, target)
        assert (sum(len(group.source) for group in groups), sum(len(group.target) for group in groups)) == sizes


@given(st.integers(1, 40), st.integers(1, 8), st.integers(1, 50))
def test_texts_of_any_numbers_of_sentences_are_aligned(some: int, others: int, times: int) -> None:
    groups = aligned("One day. " * some, "Ein Tag. " * (others * times))
    assert (sum(len(group.source) for group in groups), sum(len(group.target) for group in groups)) == (
        some, others * times,
    )  # fmt: skip
