"""How figures are written."""

from __future__ import annotations

from ragaliq.report.format import NONE, decimals, thousandths


def test_what_rounds_to_zero_has_no_minus() -> None:
    assert [thousandths(value, True) for value in (-0.0004, 0.0004, -0.0006, None)] == [
        "+0.000",
        "+0.000",
        "-0.001",
        NONE,
    ]
    assert [decimals(value) for value in (-0.00004, -0.00006)] == ["0.0000", "-0.0001"]
