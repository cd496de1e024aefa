"""What a gate asks of systems, at the bounds themselves."""

from __future__ import annotations

import pytest

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.gate import GateSettings, check_gate
from ragaliq.compare.minimums import Minimum
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tables import source_tables
from ragaliq.compare.standings import ComparisonSettings
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import ConfigError
from ragaliq.metrics.statistics.noninferiority import GateOutcome

PASS, FAIL, INCONCLUSIVE = GateOutcome.PASS, GateOutcome.FAIL, GateOutcome.INCONCLUSIVE


def sources(*cells: float | None) -> Sources:
    """A baseline and a system that has these values, of 0 to 1."""
    values = {QueryKey(f"q{place}"): cell for place, cell in enumerate(cells)}
    systems = [{"ru": SystemValues(name, "ru", values)} for name in ("base", "other")]
    return Sources(TableMetric("F1", "mean, 0 to 1"), tuple(systems))


@pytest.mark.parametrize(
    ("name", "least", "cells", "outcome"),
    [("coverage", 0.75, [0.5, 1.0, 0.0, None], PASS), ("coverage", 0.76, [0.5, 1.0, 0.0, None], FAIL),
     # No mean is below the least value of the range, and a mean of 1 is not shown to be below 1.
     ("mean", 0.0, [0.0] * 4, PASS), ("mean", 1.0, [1.0] * 4, INCONCLUSIVE)],
)  # fmt: skip
def test_a_minimum_itself_is_enough(name: str, least: float, cells: list[float | None], outcome: GateOutcome) -> None:
    own = sources(*cells)
    asked = GateSettings(minimums=(Minimum(name, least),))
    minimum = asked.minimums[0].metric
    report = check_gate({"": own, minimum: own}, source_tables(own), ComparisonSettings(), asked)
    assert (report.outcome, report.minimums[0].outcome) == (outcome, outcome)


def test_a_margin_may_be_as_wide_as_the_range() -> None:
    own = sources(0.5, 1.0, 0.0)
    report = check_gate({"": own}, source_tables(own), ComparisonSettings(), GateSettings(1.0))
    assert (report.margin, len(report.cells)) == (1.0, 1)
    with pytest.raises(ConfigError, match=r"--gate 1\.01: 'F1' cannot differ by more than 1"):
        check_gate({"": own}, source_tables(own), ComparisonSettings(), GateSettings(1.01))
