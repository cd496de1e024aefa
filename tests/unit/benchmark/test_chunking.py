"""Chunks carry text and know where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragaliq.benchmark.chunking import line_windows, paragraphs
from ragaliq.text.terms import WORD, is_wide
from ragaliq.types import Chunk

Chunker = Callable[[str, str, str], Iterator[Chunk]]
PIECES = ["a", "word ", "two words", "\n", "\n\n", "\r\n", "\n \t\n", "# Title\n", "## T ##\n\n", "---\n", "- x\n",
          "北京的站", "\u2028", "\x85", "\u00a0", "é\u0301", "😀", "x" * 700, "长" * 250]  # fmt: skip
# Files with bare carriage returns are left out: see the report on `line_windows`.
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
SOURCES = MARKDOWN | st.text(st.characters(exclude_characters="\r"), max_size=60)


def lines_of(source: str) -> list[str]:
    return [line.strip() for line in re.split(r"\r?\n", source) if line.strip()]


@pytest.mark.parametrize("chunker", [line_windows, paragraphs])
@settings(deadline=None)
@given(source=SOURCES)
def test_chunks_are_spans_with_text_and_an_id_of_their_own(chunker: Chunker, source: str) -> None:
    chunks = list(chunker(source, "folder/source.md", "en"))
    assert all(source[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert all(chunk.text.strip() for chunk in chunks)
    assert len({chunk.doc_id for chunk in chunks}) == len(chunks)
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    assert {(chunk.source_id, chunk.lang) for chunk in chunks} <= {("folder/source.md", "en")}


@settings(deadline=None)
@given(source=SOURCES, size=st.integers(1, 50))
def test_every_line_with_a_word_is_in_a_window(source: str, size: int) -> None:
    texts = [chunk.text for chunk in line_windows(source, "s", "en", size)]
    limit = size // 3 if is_wide(source) else size
    wholes = re.split(r"\r?\n", source)
    # White space at its ends counts: with it, a line may be too long for a window, and of equal ones the first counts.
    cut = {whole.strip() for whole in wholes if len(whole) > limit}
    for line in map(str.strip, wholes):
        if line not in cut and WORD.search(line):
            assert any(line in text for text in texts)
        # A longer line is cut, and no word character of it is lost.
        assert set("".join(WORD.findall(line))) <= set("".join(texts))


def test_a_long_line_is_cut_behind_sentences_and_nothing_is_lost() -> None:
    line = " ".join(f"Sentence number {n} is here." for n in range(100))
    chunks = list(line_windows(line, "kb.md", "en", 600))
    assert len(chunks) > 4 and all(len(chunk.text) <= 600 for chunk in chunks)
    assert all(chunk.text.rstrip().endswith(".") for chunk in chunks)
    assert "".join(chunk.text for chunk in chunks) == line
    assert [chunk.doc_id for chunk in chunks][:3] == ["kb.md:1", "kb.md:1.2", "kb.md:1.3"]
    hard = list(line_windows("x" * 1500, "kb.md", "en", 600))
    assert [len(chunk.text) for chunk in hard] == [600, 600, 300]
    han = list(line_windows("站" * 500, "kb.md", "zh", 600))
    assert [len(chunk.text) for chunk in han] == [200, 200, 100]


@settings(deadline=None)
@given(source=SOURCES, size=st.integers(1, 50))
@example(source="## T ##\n\na", size=3)
@example(source="word \nword \na", size=3)
def test_a_window_is_one_line_or_fits_and_none_lies_in_the_one_before(source: str, size: int) -> None:
    chunks = list(line_windows(source, "s", "en", size))
    for chunk in chunks:
        # Lines that stand in the source before do not count; of a line that is cut, the whole stands before its pieces.
        head = source[: chunk.start]
        cut = re.match(r"[^\r\n]*", source[chunk.start :]) if head and head[-1] not in "\r\n" else None
        before = lines_of(head + (cut[0] if cut else ""))
        new = {line for line in lines_of(chunk.text) if WORD.search(line) and line not in before}
        # Nor does the piece of a long line that holds no word, which may stand between two that do.
        assert len(new) == 1 or sum(len(word) for line in new for word in WORD.findall(line)) <= size
    assert all(one.end < two.end for one, two in pairwise(chunks))


@settings(deadline=None)
@given(source=MARKDOWN)
def test_every_line_but_headings_is_in_one_paragraph(source: str) -> None:
    chunks = list(paragraphs(source, "s.md", "en"))
    held = [line for chunk in chunks for line in lines_of(chunk.text)]
    without = [line for line in lines_of(source) if not line.startswith("#")]
    assert [line for line in held if not line.startswith("#")] == without
    assert all(one.end <= two.start for one, two in pairwise(chunks))


def test_windows_overlap_and_fit() -> None:
    source = "aaaa\nbbbb\n\ncccc\n"
    chunks = list(line_windows(source, "kb.md", "en", size=8))
    assert [(chunk.doc_id, chunk.text) for chunk in chunks] == [
        ("kb.md:1", "aaaa\nbbbb"),
        # "cccc" alone lies in the window before.
        ("kb.md:2", "bbbb\n\ncccc"),
    ]
    assert [chunk.text for chunk in line_windows(source, "kb.md", "en", size=12)] == ["aaaa\nbbbb\n\ncccc"]
    assert [chunk.text for chunk in line_windows(source, "kb.md", "en", size=7)] == ["aaaa", "bbbb", "cccc"]


def test_a_character_of_han_counts_three() -> None:
    source = "一二三四\n五六七八\n九十"
    # 24 / 3 = 8 characters: two lines of four.
    assert [chunk.text for chunk in line_windows(source, "s", "zh", size=24)] == [
        "一二三四\n五六七八",
        "五六七八\n九十",
    ]
    assert [chunk.text for chunk in line_windows(source, "s", "zh", size=23)] == ["一二三四", "五六七八\n九十"]


def test_blank_ruled_and_repeated_lines_start_no_window() -> None:
    source = "head\n\n---\nhead\nbody\n"
    assert [(c.doc_id, c.text) for c in line_windows(source, "s", "en", size=4)] == [("s:1", "head"), ("s:5", "body")]
    assert list(line_windows(" \n\t\n", "s", "en")) == []
    assert list(line_windows("", "s", "en")) == []


def test_paragraphs_take_the_heading_before_as_title() -> None:
    source = "intro\n\n# Doors\n\nThe door\nis red.\n\n## Roof ##\n\n\nBlue.\n"
    chunks = list(paragraphs(source, "sources/en/house.v2.md", "en"))
    assert [(chunk.doc_id, chunk.title, chunk.text) for chunk in chunks] == [
        ("house-01", "", "intro"),
        ("house-02", "Doors", "The door\nis red."),
        ("house-03", "Roof", "Blue."),
    ]
    assert chunks[1].start == source.index("The door")


def test_windows_line_ends_part_paragraphs() -> None:
    source = "a b\r\nc\r\n\r\nd\r\n"
    assert [chunk.text for chunk in paragraphs(source, "s.md", "en")] == ["a b\r\nc", "d"]
    assert [chunk.doc_id for chunk in line_windows(source, "s", "en", size=1)] == ["s:1", "s:1.3", "s:2", "s:4"]


def test_every_kind_of_line_end_counts_as_one_line() -> None:
    for end in ["\n", "\r\n", "\r"]:
        source = end.join(["a" * 500, "", "b" * 500, "c" * 500])
        assert [chunk.doc_id for chunk in line_windows(source, "my kb.md", "en")] == [
            "my_kb.md:1", "my_kb.md:3", "my_kb.md:4",
        ], end  # fmt: skip


def test_white_space_takes_linear_time() -> None:
    assert next(line_windows(" " * 2_000_000 + "\nword", "kb.md", "en")).doc_id == "kb.md:2"


def test_a_hash_without_a_title_is_no_heading() -> None:
    assert [chunk.text for chunk in paragraphs("#\nfoo\n", "s.md", "en")] == ["#\nfoo"]
