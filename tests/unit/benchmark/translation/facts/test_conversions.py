from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.facts.conversions import without_conversions
from ragaliq.text.quantities.extract import quantities
from ragaliq.text.quantities.mismatch import unmatched
from unit.benchmark.translation.pair import pair

CASES = [
    ("20 miles", "32 km", [], []),
    ("20 miles", "35 km", ["20"], ["35 km"]),
    ("4:51", "4 Minuten 51 Sekunden", [], []),
    ("4:51", "4 Minuten 15 Sekunden", ["4:51"], ["4 Minuten", "15 Sekunden"]),
    ("route 99", "SR-99", [], ["SR-99"]),
]


@pytest.mark.parametrize(("source", "target", "left", "right"), CASES)
def test_what_is_left_without_other_forms(source: str, target: str, left: list[str], right: list[str]) -> None:
    stated = unmatched(quantities(source, "en"), quantities(target, "de"))
    rest = without_conversions(*stated, pair(source, target))
    assert [[each.text for each in side] for side in rest] == [left, right]
