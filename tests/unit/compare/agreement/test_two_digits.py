"""Two digits, with and without the 0 before the point."""

from __future__ import annotations

from ragaliq.compare.agreement.certificate import two_digits


def test_a_number_above_one_keeps_its_zeros() -> None:
    values = {0.274: ".27", -0.3: "-.30", 1.0: "1.00", 70.21: "70.21", 10.25: "10.25", -60.2: "-60.20", 0.0: ".00"}
    assert {value: two_digits(value) for value in values} == values
