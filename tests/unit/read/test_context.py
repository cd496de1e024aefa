from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fakes import hits
from ragaliq.read.context import fill_context
from ragaliq.text.terms import is_wide

LINES = st.sampled_from(["a", "b", " b", "cc", "dd", "long line", "长的行", "", " ", "x" * 30])
CHUNKS = st.lists(st.lists(LINES, max_size=5).map("\n".join) | st.text(max_size=20), max_size=8)


def shown(chunks: list[str], context_k: int, context_chars: int) -> list[str]:
    return [hit.chunk.text for hit in fill_context(hits(*chunks), context_k, context_chars)]


def test_the_best_chunks_come_first_until_there_are_enough() -> None:
    assert shown(["one", "two", "three"], 2, 100) == ["one", "two"]
    assert shown(["one", "two"], 0, 100) == []
    assert shown([], 5, 100) == []


def test_a_line_is_shown_once_and_a_chunk_without_a_new_line_does_not_count() -> None:
    chunks = ["head\none", "head\none", "  one  \n\ntwo", "three"]
    assert shown(chunks, 3, 100) == ["head\none", "two", "three"]


def test_hits_keep_rank_score_and_id() -> None:
    first, second = fill_context(hits("one", "one", "two"), 5, 100)
    assert (first.chunk.doc_id, first.rank, first.score) == ("d1", 1, 1.0)
    assert (second.chunk.doc_id, second.rank, second.score) == ("d3", 3, 1.0 - 0.1 * 2)


def test_line_ends_cost_like_letters() -> None:
    cases: list[tuple[int, list[str]]] = [
        (3 + 1 + 4 + 2, ["one\nfour", "ab"]),
        (3 + 1 + 4 + 1, ["one\nfour"]),
        # A line that does not fit is passed over; shorter ones behind it may fit.
        (3 + 1 + 4 - 1, ["one", "ab"]),
        (3, ["one"]),
        # Of a first line that is too long, what fits: the context is never empty by accident.
        (2, ["on"]),
        (1, ["o"]),
        (0, []),
    ]
    for budget, expected in cases:
        assert shown(["one\nfour", "ab"], 5, budget) == expected, budget


def test_documents_in_han_have_a_third_of_the_budget() -> None:
    cases: list[int] = [4 * 3, 4 * 3 + 2]
    for budget in cases:
        assert shown(["四个字呀", "余"], 5, budget) == ["四个字呀"], budget
        assert shown(["四个字呀", "余"], 5, budget + 3) == ["四个字呀", "余"], budget
        # Latin names and addresses among Han characters cost as much as these.
        assert shown(["四个字呀四个字呀", "www.velmora.example"], 5, 8 * 3 + 18) == ["四个字呀四个字呀"], budget


@given(CHUNKS, st.integers(0, 6), st.integers(0, 60))
def test_never_over_budget_and_no_line_twice(chunks: list[str], k: int, budget: int) -> None:
    given_hits = hits(*chunks)
    context = fill_context(given_hits, k, budget)
    assert len(context) <= k
    assert sum(len(hit.chunk.text) for hit in context) <= (budget / 3 if is_wide("".join(chunks)) else budget)
    lines = [line for hit in context for line in hit.chunk.text.split("\n")]
    assert all(lines) and len(lines) == len(set(lines))
    assert [hit.rank for hit in context] == sorted({hit.rank for hit in context})
    for hit in context:
        source = [line.strip() for line in given_hits[hit.rank - 1].chunk.text.splitlines()]
        lines = hit.chunk.text.split("\n")
        if hit is context[0]:
            # The very first line may be cut.
            assert any(line.startswith(lines[0]) for line in source)
            lines = lines[1:]
        assert set(lines) <= set(source)


@given(CHUNKS)
def test_with_room_enough_every_line_is_shown(chunks: list[str]) -> None:
    context = fill_context(hits(*chunks), len(chunks), 30_000)
    lines = [line.strip() for text in chunks for line in text.splitlines() if line.strip()]
    assert [line for hit in context for line in hit.chunk.text.split("\n")] == list(dict.fromkeys(lines))
