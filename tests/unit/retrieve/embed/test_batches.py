from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.retrieve.embed.batches import length_batches, padded

LENGTHS = st.lists(st.integers(1, 40), max_size=30)


def test_batches_by_hand() -> None:
    # The longest first, equals in their order; 3 × 4 tokens are within the budget of 12, a fourth text is not.
    assert length_batches([4, 9, 4, 1, 4, 4], size=5, budget=12) == [[1], [0, 2, 4], [5], [3]]
    assert length_batches([4, 9, 4, 1, 4, 4], size=2, budget=float("inf")) == [[1], [0, 2], [4, 5], [3]]
    # 8 is not below .8 of 10, 7 is.
    assert length_batches([7, 8, 10], size=5, budget=99) == [[2, 1], [0]]
    assert length_batches([], size=2, budget=12) == []


@given(LENGTHS, st.integers(1, 8), st.integers(1, 60))
def test_every_text_is_in_one_batch_that_is_full_of_its_like(lengths: list[int], size: int, budget: int) -> None:
    batches = length_batches(lengths, size, budget)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        assert 1 <= len(batch) <= size
        longest, shortest = (way(lengths[index] for index in batch) for way in (max, min))
        assert len(batch) == 1 or len(batch) * longest <= budget
        assert shortest >= 0.8 * longest
    order = [lengths[index] for batch in batches for index in batch]
    assert order == sorted(lengths, reverse=True)


def test_short_texts_are_filled_up_on_the_right() -> None:
    rows = [{"input_ids": [5, 6, 7], "attention_mask": [1, 1, 1]}, {"input_ids": [8], "attention_mask": [1]}]
    batch = padded(rows, pad_id=9)
    assert batch["input_ids"].tolist() == [[5, 6, 7], [8, 9, 9]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert {values.dtype for values in batch.values()} == {np.dtype(np.int64)}
