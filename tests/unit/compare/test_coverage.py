"""Coverage: what is missing, why, and what it could change."""

from __future__ import annotations

import pytest

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.coverage import bounds_of, system_coverage
from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.intervals import value_interval

METRIC = TableMetric("score", "mean", least=-1.0, greatest=3.0)
CELLS = [1.0, 2.0, None, 3.0]


def own(lang: str, *cells: float | None, **more: object) -> SystemValues:
    return SystemValues("s", lang, {QueryKey(f"q{n}"): cell for n, cell in enumerate(cells)}, **more)  # type: ignore[arg-type]


def test_what_is_missing_by_hand() -> None:
    (found,) = system_coverage([{"fr": own("fr", *CELLS, failures={"timeout": 1, "missing": 1}, n_expected=5)}], METRIC)
    assert (found.n, found.n_valued, found.share, found.mean) == (5, 3, 3 / 5, 2.0)
    # Two of five at −1, and at 3.
    assert found.bounds == ((6 - 2) / 5, (6 + 6) / 5)
    low, high = (value_interval([1.0, 2.0, 3.0, end, end], -1, 3) for end in (-1.0, 3.0))
    assert low is not None
    assert high is not None
    assert found.bounds_interval == pytest.approx((low.low, high.high))


def test_nothing_missing_and_no_known_range_leave_no_bounds() -> None:
    systems = [{"en": own("en", 1.0, 2.0)}]
    assert [(one.bounds, one.bounds_interval) for one in system_coverage(systems, METRIC)] == [(None, None)]
    unknown = TableMetric("score", "mean", known=False)
    assert system_coverage([{"en": own("en", *CELLS)}], unknown)[0].bounds_interval is None


def test_the_languages_of_a_query_and_named_clusters_belong_together() -> None:
    # With twice the same the bounds stay, and so does the interval: queries are counted, not answers.
    cells = [1.0, 2.0, None, 3.0, 0.0, 1.0, 1.5, 2.5]
    one, two = (bounds_of([own(lang, *cells) for lang in langs], METRIC, 8 * len(langs), {}, 0)
                for langs in (["ru"], ["ru", "zh"]))  # fmt: skip
    assert one.bounds == two.bounds
    assert one.interval is not None
    assert two.interval == pytest.approx(one.interval, abs=0.01)
    halves = {f"q{n}": "first" if n < 4 else "second" for n in range(8)}
    wide = bounds_of([own("ru", *cells)], METRIC, 8, halves, 0)
    assert wide.interval is not None
    assert wide.interval.low < one.interval.low < one.interval.high < wide.interval.high
