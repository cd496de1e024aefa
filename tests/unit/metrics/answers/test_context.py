from __future__ import annotations

from collections.abc import Sequence

import pytest

from ragaliq.metrics.answers.context import ContextScores, context_scores


@pytest.mark.parametrize(
    ("useful", "precision"),
    [
        ([True], 1.0),
        ([True, False, False], 1.0),
        ([False, True], 1 / 2),
        ([True, False, True], (1 / 1 + 2 / 3) / 2),
        ([False, True, True, False], (1 / 2 + 2 / 3) / 2),
        ([False, False], 0.0),
        # Nothing was shown, so nothing useful was.
        ([], 0.0),
    ],
)
def test_precision_is_average_precision_over_the_chunks_shown(useful: Sequence[bool], precision: float) -> None:
    assert context_scores(useful, [True]).precision == pytest.approx(precision)


@pytest.mark.parametrize(
    ("attributable", "recall"), [([True, True], 1.0), ([True, False, False], 1 / 3), ([False], 0.0)]
)
def test_recall_is_the_share_of_the_reference(attributable: Sequence[bool], recall: float) -> None:
    assert context_scores([True], attributable).recall == pytest.approx(recall)


def test_without_a_reference_both_are_undefined() -> None:
    assert context_scores([], []) == ContextScores(None, None)
