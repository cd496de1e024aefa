"""Random, BM25 and hybrid on the filtered and the unfiltered set."""

from __future__ import annotations

from math import log2

import pytest

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.discriminability import discriminability


def test_systems_are_told_apart_with_n_interval_and_p(built: Built) -> None:
    figures = {(one.set_name, one.system): one for one in discriminability(built)}
    sets, systems = ("filtered", "unfiltered"), ("random", "bm25", "hybrid")
    assert list(figures) == [(name, system) for name in sets for system in systems]
    assert [figures[name, "bm25"].queries for name in sets] == [2, 3]
    bm25 = figures["filtered", "bm25"]
    # By the pool's list q1 gets d2 (1), d1 (2) of an ideal 2, 1, 1, and q2 d7 (0), d5 (1).
    ideal = 2 + 1 / log2(3) + 1 / log2(4)
    first, second = (1 + 2 / log2(3)) / ideal, 1 / log2(3)
    assert bm25.mean == pytest.approx((first + second) / 2)
    # q3 has no relevant document, and counts 0.
    assert figures["unfiltered", "bm25"].mean == pytest.approx((first + second + 0) / 3)
    random = figures["filtered", "random"]
    assert (random.p, random.difference, random.detectable) == (None, None, None)
    assert bm25.difference == pytest.approx(bm25.mean - random.mean)
    # The pool has no list of the hybrid, which finds d1 before d2 for q1, and d5 for q2.
    hybrid = figures["filtered", "hybrid"]
    assert ((2 + 1 / log2(3)) / ideal + 1) / 2 <= hybrid.mean <= 1
    assert hybrid.difference == pytest.approx(hybrid.mean - bm25.mean)
    # Both queries are better than by BM25: of four ways to sign them, two are as far from 0.
    assert hybrid.p == 2 / 4 / 2
    assert bm25.interval is not None and bm25.interval[0] <= bm25.mean <= bm25.interval[1]


def test_the_same_build_has_the_same_figures(built: Built) -> None:
    assert discriminability(built) == discriminability(Built(built.context))
