"""Windows of a size, and the way back to documents (B13, F3)."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from fakes import chunk
from ragaliq.experiment.chunked import collapse_hits, enough, token_windows, windows
from ragaliq.formats.reading.collection import document
from ragaliq.types import Chunk, Hit


def pieces(text: str, tokens: int) -> list[str]:
    return [text[start:end] for start, end in windows(text, tokens)]


def test_a_token_is_a_word_or_one_character_of_a_script_without_spaces() -> None:
    cases = [
        ("one two three four five", 2, ["one two", "three four", "five"]),
        ("One, two. Three!", 2, ["One, two.", "Three!"]),
        ("  – eins zwei", 1, ["– eins", "zwei"]),
        ("补给船九点离开", 3, ["补给船", "九点离", "开"]),
        ("GPT模型很大", 2, ["GPT模", "型很", "大"]),
        ("เรือออก", 2, ["เรื", "ออ", "อก"]),
        ("नमस्ते दुनिया", 1, ["नमस्ते", "दुनिया"]),
        ("short", 128, ["short"]),
        ("…", 4, ["…"]),
        ("", 4, [""]),
    ]
    for text, tokens, expected in cases:
        assert pieces(text, tokens) == expected, text


@given(text=st.text(max_size=60), tokens=st.integers(1, 5))
def test_windows_lose_nothing_but_white_space_between_them(text: str, tokens: int) -> None:
    assert "".join("".join(piece.split()) for piece in pieces(text, tokens)) == "".join(text.split())


def test_a_document_of_its_own_is_cut_by_itself_and_keeps_its_title() -> None:
    corpus = [document("文1", "zh", "补给船九点离开", "船"), document("b", "zh", "狗")]
    cut = token_windows(corpus, 4)
    assert [(unit.text, unit.title, unit.start, unit.end) for unit in cut.chunks] == [
        ("补给船九", "船", 0, 4), ("点离开", "船", 4, 7), ("狗", "", 0, 1),
    ]  # fmt: skip
    assert [[doc.doc_id for doc in cut.documents[unit.doc_id]] for unit in cut.chunks] == [["文1"], ["文1"], ["b"]]


SOURCE = "alpha beta gamma\n\ndelta epsilon\n\nzeta eta theta iota"


def part(doc_id: str, text: str) -> Chunk:
    start = SOURCE.index(text)
    return Chunk(doc_id, "en", text, "s.md", start, start + len(text), doc_id.upper())


PARTS = [part("a", "alpha beta gamma"), part("d", "delta epsilon"), part("z", "zeta eta theta iota")]


def test_neighbours_of_one_source_are_joined_and_a_window_belongs_to_all_that_it_overlaps() -> None:
    cut = token_windows(PARTS, 4)
    assert [" ".join(unit.text.split()) for unit in cut.chunks] == [
        "alpha beta gamma delta", "epsilon zeta eta theta", "iota",
    ]  # fmt: skip
    within = [[doc.doc_id for doc in cut.documents[unit.doc_id]] for unit in cut.chunks]
    assert within == [["a", "d"], ["z", "d"], ["z"]]
    assert [unit.title for unit in cut.chunks] == ["A", "Z", "Z"]
    for unit in cut.chunks:
        assert SOURCE[unit.start : unit.end].split() == unit.text.split()


def test_a_window_that_begins_where_a_chunk_ends_is_none_of_its_own() -> None:
    corpus = [Chunk("a", "zh", "补给船", "s", 0, 3), Chunk("b", "zh", "九点离", "s", 3, 6)]
    cut = token_windows(corpus, 3)
    assert [[doc.doc_id for doc in cut.documents[unit.doc_id]] for unit in cut.chunks] == [["a"], ["b"]]


def test_overlapping_chunks_are_joined_once() -> None:
    cut = token_windows([part("a", "alpha beta gamma"), part("b", "gamma\n\ndelta")], 10)
    assert [" ".join(unit.text.split()) for unit in cut.chunks] == ["alpha beta gamma delta"]


def test_offsets_that_are_not_those_of_one_text_join_nothing() -> None:
    cases = [
        Chunk("x", "en", "something else", "s.md", 6, 20),
        Chunk("x", "en", "far away", "s.md", 5000, 5008),
        Chunk("x", "en", "offsets that lie", "s.md", 17, 19),
    ]
    for foreign in cases:
        cut = token_windows([PARTS[0], foreign], 100)
        assert sorted(unit.text for unit in cut.chunks) == sorted([PARTS[0].text, foreign.text]), foreign


def hit(unit: str, score: float) -> Hit:
    return Hit(chunk(unit, unit), score, 1)


def test_a_document_has_the_score_of_its_best_unit() -> None:
    documents = {unit: (chunk(unit[0], unit),) for unit in ("a1", "a2", "b1", "c1")}
    found = collapse_hits([hit("a2", 3.0), hit("a1", 2.0), hit("b1", 2.0), hit("c1", 2.0)], documents, 3)
    assert [(own.chunk.doc_id, own.score, own.rank) for own in found] == [("a", 3.0, 1), ("c", 2.0, 2), ("b", 2.0, 3)]


def test_the_documents_of_one_unit_stay_in_the_order_of_their_overlap() -> None:
    cut = token_windows(PARTS, 4)
    first, second = cut.chunks[0].doc_id, cut.chunks[1].doc_id
    found = collapse_hits([hit(second, 2.0), hit(first, 1.0)], cut.documents, 10)
    assert [own.chunk.doc_id for own in found] == ["z", "d", "a"]
    assert found[0].score > found[1].score > found[2].score


def test_nothing_further_can_change_the_first_documents_only_below_their_last_score() -> None:
    documents = {unit: (chunk(unit[0], unit),) for unit in ("a1", "a2", "b1", "b2", "c1")}
    one = [hit("a1", 3.0), hit("a2", 2.0), hit("b1", 2.0)]
    assert not enough(one, documents, 2)
    assert enough([*one, hit("c1", 1.0)], documents, 2)
    assert not enough([*one, hit("c1", 1.0)], documents, 3)


def test_cutting_a_large_source_is_quick() -> None:
    words = [f"w{n}" for n in range(20_000)]
    text = " ".join(words)
    rng = random.Random(0)
    starts = sorted(rng.sample(range(len(text) - 200), 400))
    corpus = [Chunk(f"c{n}", "en", text[at : at + 200], "s", at, at + 200) for n, at in enumerate(starts)]
    assert len(token_windows(corpus, 64).documents) > 100
