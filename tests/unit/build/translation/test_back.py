"""chrF of texts that were translated back: a hint for the lowest."""

from __future__ import annotations

from ragaliq.build.translation.back import back_translation, back_translation_findings
from ragaliq.types import RecordKind, Severity, TranslationPair


def pair(number: int, lang: str = "de", source: str = "The shop opens at eight.") -> TranslationPair:
    return TranslationPair(RecordKind.CHUNK, f"d{number}", "en", lang, source, "…")


def test_the_same_text_has_100_and_another_one_little() -> None:
    assert back_translation(pair(1), "The shop opens at eight.").chrf == 100
    assert back_translation(pair(1), "Bees fly.").chrf < 20


def test_below_the_5th_percentile_of_its_language_a_text_has_a_hint() -> None:
    good = [back_translation(pair(number), "The shop opens at eight.") for number in range(20)]
    low = back_translation(pair(20), "A store is open from 8.")
    findings = list(back_translation_findings([*good, low, back_translation(pair(1, "zh"), "Something else.")]))
    assert [(one.lang, one.id, one.kind, one.severity) for one in findings] == [
        ("de", "d20", "back-translation", Severity.HINT)
    ]


def test_equal_scores_have_no_hint() -> None:
    assert not list(back_translation_findings(back_translation(pair(number), "x") for number in range(5)))
