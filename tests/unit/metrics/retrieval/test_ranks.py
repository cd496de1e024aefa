from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.retrieval.ranks import falling, ordered, score_places

LISTS = st.lists(st.lists(st.integers(-2, 2).map(float) | st.floats(allow_nan=False), max_size=9), max_size=6)


def flat(lists: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.array([len(scores) for scores in lists], dtype=np.int64)
    return np.array([score for scores in lists for score in scores], dtype=np.float64), sizes


@given(LISTS)
def test_scores_of_many_lists_are_ordered_as_one_by_one(lists: list[list[float]]) -> None:
    scores, sizes = flat(lists)
    found = ordered(scores, sizes)
    assert found.rising.tolist() == [score for row in lists for score in sorted(row)]
    order = falling(scores, sizes)
    starts = np.cumsum(sizes) - sizes
    for start, row in zip(starts, lists, strict=True):
        assert [row[place] for place in order[start : start + len(row)]] == sorted(row, reverse=True)


@given(LISTS)
def test_a_score_has_a_first_rank_and_its_ties(lists: list[list[float]]) -> None:
    scores, sizes = flat(lists)
    found = score_places(ordered(scores, sizes), np.repeat(np.arange(len(lists)), sizes), scores)
    expected = [(sum(other > score for other in row) + 1, row.count(score)) for row in lists for score in row]
    assert list(zip(found.first.tolist(), found.tied.tolist(), strict=True)) == expected


@given(LISTS, st.integers(1, 10))
def test_ties_at_a_cut_are_counted(lists: list[list[float]], cutoff: int) -> None:
    falling_lists = [sorted(row, reverse=True) for row in lists]
    tied = sum(len(row) > cutoff and row[cutoff - 1] == row[cutoff] for row in falling_lists)
    assert ordered(*flat(lists)).tied_at(cutoff) == tied
