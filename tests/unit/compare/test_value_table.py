"""One interval of a mean for all commands."""

from __future__ import annotations

import pytest

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.comparison import compare_tables
from ragaliq.compare.leaderboard.table import leaderboard_of
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tables import source_tables
from ragaliq.compare.standings import ComparisonSettings
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.intervals import mean_interval, value_interval

METRIC = TableMetric("F1", "mean, 0 to 1")


def test_the_range_is_used_where_it_is_known() -> None:
    values = [0.5, 1.0, 1.0, 0.0, 1.0]
    assert METRIC.interval_of_mean(values) == value_interval(values, 0, 1)
    assert METRIC.interval_of_mean(values, list("aabbc"), 3) == value_interval(
        values, 0, 1, seed=3, clusters=list("aabbc")
    )
    unknown = TableMetric("F1", "mean", known=False)
    assert unknown.interval_of_mean(values) == mean_interval(values)
    # Only a range says what values other than the one seen there could be.
    assert unknown.interval_of_mean([0.5] * 9) is None
    assert METRIC.interval_of_mean([1.0] * 9) == pytest.approx((0.025 ** (1 / 9), 1.0))


def test_one_cluster_has_no_interval() -> None:
    assert METRIC.interval_of_mean([]) is None
    assert METRIC.interval_of_mean([0.5, 1.0], ["a", "a"]) is None


def test_a_comparison_and_a_leaderboard_have_the_same_new_sample() -> None:
    columns = {"always right": [1.0] * 12, "часто": [1.0, 0.0, 1.0] * 4}
    systems = tuple(
        {"ru": SystemValues(name, "ru", {QueryKey(f"q{place:02}"): value for place, value in enumerate(values)})}
        for name, values in columns.items()
    )
    sources = Sources(METRIC, systems)
    (section,) = compare_tables(source_tables(sources).families, ComparisonSettings()).sections
    board = leaderboard_of(sources)
    assert {own.name: own.new_sample for own in section.systems} == {
        row.name: row.total.new_sample for row in board.rows
    }
    # Twelve right answers do not make the thirteenth certain.
    assert board.rows[0].total.new_sample == pytest.approx((0.025 ** (1 / 12) * 2**0.5 + 1 - 2**0.5, 1.0))
