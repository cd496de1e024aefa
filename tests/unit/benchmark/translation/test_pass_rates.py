from __future__ import annotations

from collections import Counter

import pytest

from ragaliq.benchmark.translation.finding import finding_of
from ragaliq.benchmark.translation.pass_rates import translation_pass_rates
from ragaliq.types.translation import RecordKind, Severity, TranslationFinding
from unit.benchmark.translation.pair import pair


def test_a_text_with_an_error_does_not_pass_and_a_missing_one_counts() -> None:
    pairs = [pair("a", "b", id=f"c{place}") for place in range(3)]
    findings = [
        finding_of(pairs[0], "number", Severity.ERROR, ""),
        finding_of(pairs[0], "date", Severity.ERROR, ""),
        finding_of(pairs[0], "length", Severity.WARNING, ""),
        finding_of(pairs[1], "length", Severity.WARNING, ""),
        finding_of(pairs[2], "back-translation", Severity.HINT, ""),
        TranslationFinding("de", RecordKind.CHUNK, "c3", "missing", Severity.ERROR, ""),
    ]
    (german, french) = translation_pass_rates(pairs, findings, ["de", "fr"])
    assert (german.n, german.passed, german.warned) == (4, 2, 1)
    assert (german.errors, german.warnings) == (
        Counter({"number": 1, "date": 1, "missing": 1}),
        Counter({"length": 2}),
    )
    # Wilson for 2 of 4, by hand: (0.5 + 3.8415/8 ± 1.96 √(0.25/4 + 3.8415/64)) / (1 + 3.8415/4).
    assert german.interval is not None
    assert (german.interval.low, german.interval.high) == pytest.approx((0.1500, 0.8500), abs=5e-5)
    assert (french.n, french.interval) == (0, None)
