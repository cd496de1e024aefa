from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.report.display import cut_line, harmless, width, wrapped
from shown_runs import CHINESE, HOSTILE


def test_what_steers_a_terminal_is_shown_as_its_escape() -> None:
    shown = r"blue\x1b[2J\x07\x9b31m\u202egreen\u2066\u200b\ufeff\u2028\ud800"
    assert harmless(HOSTILE) == shown
    assert harmless("a\r\nb\tc\r") == "a\nb c\\r"
    # Joined letters and pictures, combining marks: nothing of these steers.
    for text in ("नमस्ते क्‍ष", "👩‍🚀", "си́нее", CHINESE):
        assert harmless(text) == text


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("си\u0301нее", 5), ("大门", 4), ("ＡＢ", 4), ("ﾊﾟ", 2), ("e\u0301\u0302\u0303", 1), ("한", 2),
     ("\u1112\u1161\u11ab", 2), ("", 0)],
)  # fmt: skip
def test_the_width_is_what_people_see(text: str, cells: int) -> None:
    assert width(text) == cells


def test_lines_break_at_blanks_and_beside_wide_characters() -> None:
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("大门早上七点开放，晚上", 16) == ["大门早上七点开", "放，晚上"]  # No comma begins a line.
    assert wrapped("说「大门」开", 4) == ["说", "「大", "门」", "开"]
    assert wrapped("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrapped("a\n\n b\n", 9) == ["a", "b"]
    assert wrapped("", 9) == [] and wrapped("大", 1) == ["大"]


def test_a_line_that_is_cut_ends_in_an_ellipsis() -> None:
    assert cut_line("a  b\nc", 5) == "a b c"
    assert cut_line("大门早上", 6) == "大门…" and width(cut_line(CHINESE, 10)) <= 10


@given(st.text(alphabet=st.characters(), max_size=60), st.integers(2, 30))
def test_no_line_is_too_wide_and_no_letter_is_lost(text: str, columns: int) -> None:
    lines = wrapped(harmless(text), columns)
    assert all(width(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(harmless(text).split())
    steering = ("Cc", "Cs", "Zl", "Zp", "Cf")
    assert not any(unicodedata.category(c) in steering and c not in "\u200c\u200d" for line in lines for c in line)
