"""Numbers, times and short texts of records."""

from __future__ import annotations

from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.traces.values import number_of, seconds_between, short_reason, short_texts, time_of


@pytest.mark.parametrize(("value", "number"), [(None, None), ("", None), (0, 0.0), ("1.5", 1.5), (2**70, float(2**70))])
def test_numbers(value: Any, number: float | None) -> None:
    assert number_of({"k": value}, "k", "f:1") == number


@pytest.mark.parametrize("value", [True, "haut", "nan", 10**400, [1], {}, float("inf")])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="f:1: 'k' must be a finite number"):
        number_of({"k": value}, "k", "f:1")


def test_times() -> None:
    assert time_of({"k": "1970-01-01T01:00:00.5+01:00"}, "k", "f:1") == 0.5
    assert (
        time_of({"k": "1970-01-01T00:00:01"}, "k", "f:1") == time_of({"k": "1970-01-01T00:00:01Z"}, "k", "f:1") == 1.0
    )
    assert time_of({}, "k", "f:1") is None
    assert [seconds_between(*ends) for ends in ((1.0, 3.5), (3.0, 1.0), (None, 1.0))] == [2.5, None, None]


def test_reasons_are_short_and_hold_no_key() -> None:
    assert short_reason("Clé refusée :\n sk-ab12cd34ef56gh78") == "Clé refusée : ***"
    assert len(short_reason("délai " * 100)) == 120
    assert short_texts({"lang": "fr", "n": 7, "x-api-key": "s", "f": 0.5, "o": {}}) == {"lang": "fr", "n": "7"}
