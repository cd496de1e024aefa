from __future__ import annotations

from ragaliq.benchmark.translation.form.presence import missing_findings
from unit.benchmark.translation.pair import pair, told


def test_a_blank_text_beside_another_is_an_error() -> None:
    assert told(missing_findings([pair("text", " \n"), pair(" ", "Text"), pair("", ""), pair("a", "b")])) == [
        "missing error: the translation is empty",
        "missing error: the source is empty, the translation is not",
    ]
