from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.statistics.clusters import clustered, standard_error

ROWS = st.lists(st.tuples(st.sampled_from("abcdé界"), st.integers(0, 10)), min_size=1, max_size=20)


def test_values_of_a_cluster_are_added_up_in_the_order_of_names() -> None:
    found = clustered(np.array([1.0, 2.0, 4.0]), ["質問", "a", "質問"])
    assert found.sums.tolist() == [[2], [5]]
    assert found.sizes.tolist() == [1, 2]
    assert found.mean.tolist() == [7 / 3]


def test_without_clusters_each_row_is_its_own() -> None:
    found = clustered(np.array([[1.0, 0.0], [0.5, 0.25]]), None)
    assert found.sums.tolist() == [[1, 0], [0.5, 0.25]]
    assert found.mean.tolist() == [0.75, 0.125]


def test_the_standard_error_worked_by_hand() -> None:
    # Four single values: standard deviation √(5 / 3), by √4.
    assert standard_error(clustered(np.array([1.0, 2, 3, 4]), None)) == pytest.approx(sqrt(5 / 3) / 2)
    # Clusters {1, 2} and {6}: mean 3, sums less their share 3 − 6 and 6 − 3; √(2 / 1 · 18) / 3.
    assert standard_error(clustered(np.array([1.0, 2, 6]), ["a", "a", "b"])) == pytest.approx(2)


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_sums_and_sizes_add_up_whatever_the_order(rows: list[tuple[str, int]]) -> None:
    values, names = np.array([value / 10 for _, value in rows]), [name for name, _ in rows]
    found, back = clustered(values, names), clustered(values[::-1], names[::-1])
    assert found.sizes.sum() == len(rows)
    assert float(found.sums.sum()) == pytest.approx(float(values.sum()))
    assert found.sums.tolist() == back.sums.tolist()
    assert found.sizes.tolist() == back.sizes.tolist()
