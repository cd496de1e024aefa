from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.facts.conversions import without_conversions
from ragaliq.benchmark.translation.facts.values import fact_findings
from ragaliq.text.quantities.extract import quantities
from ragaliq.text.quantities.mismatch import unmatched
from unit.benchmark.translation.pair import pair

CASES = [
    ("20 miles", "32 km", [], []),
    ("20 miles", "35 km", ["20"], ["35 km"]),
    ("20 miles with 20 people", "32 km mit 20 Leuten", [], []),
    ("20 miles with 20 people", "32 km mit 32 Leuten", ["20"], ["32"]),
    ("20 miles with 20 people", "32 km mit den Leuten", ["20"], []),
    ("20 people walk 20 miles", "32 Leute laufen 32 km", ["20"], ["32"]),
    ("20 miles, back 20 miles", "32 km, zurück 20 Meilen", [], []),
    ("20 miles, back 20 miles", "32 km, zurück 32 km", [], []),
    ("20 miles (32 km) with 32 people", "20 Meilen (32 km) mit den Leuten", ["32"], []),
    ("2 kg for 2 people", "2000 g für 3 Leute", ["2"], ["3"]),
    ("4:51", "4 Minuten 51 Sekunden", [], []),
    ("4:51", "4 Minuten 15 Sekunden", ["4:51"], ["4 Minuten", "15 Sekunden"]),
    ("route 99", "SR-99", [], ["SR-99"]),
]


@pytest.mark.parametrize(("source", "target", "left", "right"), CASES)
def test_what_is_left_without_other_forms(source: str, target: str, left: list[str], right: list[str]) -> None:
    stated = unmatched(quantities(source, "en"), quantities(target, "de"))
    rest = without_conversions(*stated, pair(source, target))
    assert [[each.text for each in side] for side in rest] == [left, right]


@pytest.mark.parametrize(
    ("lang", "target"),
    [
        ("de", "Gehen Sie 32 km mit {}Mitgliedern."),
        ("fr", "Marchez 32 km avec {}membres."),
        ("es", "Camine 32 km con {}socios."),
        ("ru", "Пройдите 32 км с {}участниками."),
        ("zh", "与{}名成员步行32公里。"),
    ],
)
def test_a_conversion_hides_no_number_of_the_same_digits(lang: str, target: str) -> None:
    source = "Walk 20 miles with 20 members."
    assert list(fact_findings([pair(source, target.format("20 "), f"en>{lang}")])) == []
    for wrong in ("32 ", ""):
        assert [finding.kind for finding in fact_findings([pair(source, target.format(wrong), f"en>{lang}")])] == [
            "number"
        ]
