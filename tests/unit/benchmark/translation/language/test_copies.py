from __future__ import annotations

from ragaliq.benchmark.translation.language.copies import copy_findings
from unit.benchmark.translation.pair import pair, told

FRENCH = "Le bateau part le mardi."


def test_a_sentence_of_another_language_is_an_error_where_it_does_not_belong() -> None:
    pairs = [pair("The ship sails on Tuesday.", FRENCH, "en>fr"), pair("The ship sails on Tuesday.", FRENCH, "en>es")]
    findings = list(copy_findings(pairs))
    assert [finding.lang for finding in findings] == ["es"]
    assert told(findings) == [f"language error: the same as in 'fr': '{FRENCH}'"]


def test_names_and_other_records_may_be_the_same() -> None:
    names = [pair("Super Bowl", "Super Bowl 50 Final", "en>fr"), pair("Super Bowl", "Super Bowl 50 Final", "en>es")]
    assert told(copy_findings(names)) == []
    other = [pair("a", FRENCH, "en>fr"), pair("b", FRENCH, "en>es", id="c2")]
    assert told(copy_findings(other)) == []
