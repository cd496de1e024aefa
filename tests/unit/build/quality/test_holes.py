"""Measures with unjudged documents counted 0 and 1."""

from __future__ import annotations

from math import log2

import pytest

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.holes import hole_figures


def test_a_hole_counts_0_and_1_and_enters_the_ideal_order(built: Built) -> None:
    figures = {(one.retriever, one.measure): one for one in hole_figures(built)}
    assert list(figures) == [(name, measure) for name in ("bm25", "char") for measure in ("nDCG@10", "RR@10")]
    bm25 = figures["bm25", "nDCG@10"]
    # q1: d2 (1), d1 (2) of an ideal 2, 1, 1. q2: the hole d7, then d5 (1).
    first = (1 + 2 / log2(3)) / (2 + 1 / log2(3) + 1 / log2(4))
    assert bm25.holes_as_0 == pytest.approx((first + (1 / log2(3)) / 1) / 2)
    assert bm25.holes_as_1 == pytest.approx((first + 1) / 2)
    assert (bm25.queries, bm25.judged) == (2, (1 + 1 / 2) / 2)
    ranks = figures["bm25", "RR@10"]
    assert (ranks.holes_as_0, ranks.holes_as_1) == ((1 + 1 / 2) / 2, 1.0)
