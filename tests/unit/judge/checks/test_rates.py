from __future__ import annotations

from ragaliq.judge.checks.rates import CheckHeader, CheckRates, Rate, check_rates
from ragaliq.types import VerdictOutcome


def note(
    abstains: bool, in_language: bool | None, support: tuple[int, int, int, int], *detected: bool | None
) -> CheckHeader:
    return CheckHeader(VerdictOutcome.SCORED, ("c", "p"), abstains, in_language, *support, *detected)


def test_rates_are_shares_of_what_could_be_told() -> None:
    notes = [
        note(False, True, (3, 1, 0, 0), False, True),
        note(True, True, (0, 0, 0, 0), False, None),
        note(False, False, (0, 1, 1, 2), False, True),
        note(False, None, (2, 0, 0, 0), False, True),
        CheckHeader(VerdictOutcome.API_ERROR, detected_abstains=True),
    ]
    assert check_rates("de", notes) == CheckRates(
        "de",
        5,
        checked=Rate(4 / 5, 5),
        abstained=Rate(1 / 4, 4),
        supported=Rate(5 / 10, 10),
        partly=Rate(2 / 10, 10),
        contradicted=Rate(2 / 10, 10),
        unsupported=Rate(1 / 10, 10),
        wrong_language=Rate(1 / 3, 3),
        agree_abstained=Rate(3 / 4, 4),
        agree_language=Rate(1 / 2, 2),
    )


def test_rates_of_nothing_are_undefined() -> None:
    rates = check_rates("zh", [CheckHeader()])
    assert rates.checked == Rate(0.0, 1)
    assert {rates.abstained, rates.supported, rates.wrong_language, rates.agree_language} == {Rate(None, 0)}
