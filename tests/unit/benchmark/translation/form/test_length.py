from __future__ import annotations

from ragaliq.benchmark.translation.form.length import length_findings
from unit.benchmark.translation.pair import pair, told

USUAL = [pair("a" * 100, "b" * (110 + place % 5), id=f"c{place}") for place in range(30)]


def test_a_translation_of_a_tenth_is_a_warning() -> None:
    short = pair("a" * 100, "b" * 10, id="short")
    assert told(length_findings([*USUAL, short])) == [
        "length warning: 0.10 letters for one of the source, usually 1.12"
    ]


def test_usual_and_short_and_few_texts_say_nothing() -> None:
    assert told(length_findings(USUAL)) == []
    assert told(length_findings([*USUAL, pair("a" * 40, "b", id="short")])) == []
    assert told(length_findings([*USUAL[:18], pair("a" * 100, "b" * 10, id="short")])) == []
