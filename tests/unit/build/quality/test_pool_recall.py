"""How deep the pool must be, and what it misses."""

from __future__ import annotations

import pytest

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.pool_recall import negatives, pool_recalls


def test_recall_grows_with_depth_and_query_texts(built: Built) -> None:
    values = {(one.texts, one.depth): (one.recall, one.documents) for one in pool_recalls(built)}
    # Relevant are d1, d2, d4 of q1 and d5 of q2; documents is the mean over the two queries.
    assert values == {
        ("all", 1): (2 / 4, (3 + 1) / 2),
        ("all", 2): (3 / 4, (3 + 2) / 2),
        ("inference", 1): (1 / 4, (2 + 1) / 2),
        ("inference", 2): (3 / 4, (3 + 2) / 2),
        ("oracle", 1): (2 / 4, (2 + 0) / 2),
        ("oracle", 2): (2 / 4, (2 + 0) / 2),
        ("question", 2): (2 / 4, (2 + 1) / 2),
        ("subquestions", 2): (1 / 4, (1 + 0) / 2),
        ("closed-book", 2): (1 / 4, (1 + 1) / 2),
        ("reference", 2): (1 / 4, (1 + 0) / 2),
        ("nuggets", 2): (1 / 4, (1 + 0) / 2),
    }
    assert {(one.lang, one.queries, one.relevant) for one in pool_recalls(built)} == {("en", 2, 4)}


def test_random_documents_that_support_a_nugget_are_what_the_pool_misses(built: Built) -> None:
    (one,) = negatives(built)
    assert (one.n, one.supporting, one.share) == (2, 1, 1 / 2)
    # Wilson's interval of 1 of 2, z² = 3.8415: ½ ± √3.8415·√(1/8 + 3.8415/16) / (1 + 3.8415/2)
    assert one.interval == pytest.approx((0.0945, 0.9055), abs=1e-4)
