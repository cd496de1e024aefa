"""Correct translations have no finding: the answers that a naive digit check flags, and every rule for numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from ragaliq.benchmark.translation.check import check_pairs
from ragaliq.types.translation import RecordKind, Severity, TranslationPair

RULES = yaml.safe_load(Path(__file__).with_name("correct_translations.yaml").read_text(encoding="utf-8"))
LANGS = ("de", "es", "fr", "ru", "zh")


def pairs() -> list[tuple[str, TranslationPair]]:
    found: list[tuple[str, TranslationPair]] = []
    for rule, rows in RULES.items():
        for row in rows:
            langs, source, target = row.split(" | ")
            source_lang, lang = langs.split(">")
            id = f"c{len(found):03d}"
            found.append((rule, TranslationPair(RecordKind.CHUNK, id, source_lang, lang, source, target)))
    return found


def told(texts: list[TranslationPair]) -> list[str]:
    by_id = {pair.id: pair for pair in texts}
    return [
        f"{finding.kind} {finding.severity} {finding.message}: {by_id[finding.id].source} | {by_id[finding.id].target}"
        for finding in check_pairs(texts)
        if finding.severity is not Severity.HINT
    ]


def test_at_least_a_hundred_in_six_languages() -> None:
    known = Counter(pair.lang for _, pair in pairs())
    assert sum(known.values()) >= 100
    assert set(known) == {*LANGS, "en"} and min(known.values()) >= 10


@pytest.mark.parametrize("rule", RULES)
def test_each_alone_has_no_finding(rule: str) -> None:
    assert [line for known, pair in pairs() if known == rule for line in told([pair])] == []


@pytest.mark.parametrize("lang", [*LANGS, "en"])
def test_all_of_a_language_together_have_no_finding(lang: str) -> None:
    assert told([pair for _, pair in pairs() if pair.lang == lang]) == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.startswith("links")])
def test_another_number_in_them_is_found(rule: str) -> None:
    """So that no rule passes by reading no number at all: digits that stand alone, changed in the translation."""
    changed = []
    for known, pair in pairs():
        number = re.search(r"(?<![\w.,:/@`$-])[1-9]\d?(?![\w.,:/@`²³º-])", pair.target) if known == rule else None
        if number and pair.lang != "zh":
            target = pair.target[: number.start()] + "97" + pair.target[number.end() :]
            changed.append(TranslationPair(pair.record, pair.id, pair.source_lang, pair.lang, pair.source, target))
    assert changed or all(pair.lang == "zh" for known, pair in pairs() if known == rule)
    for pair in changed:
        assert any(finding.kind in ("number", "date", "unit") for finding in check_pairs([pair])), pair


@pytest.mark.shared
def test_the_reference_answers_that_a_naive_digit_check_flags(shared_data: Path) -> None:
    flagged = []
    for lang in LANGS:
        rows = json.loads((shared_data / "ragaliq" / "data" / f"questions_{lang}.json").read_text(encoding="utf-8"))
        for place, row in enumerate(rows):
            source, target = row["source_a"].strip(), row["answer"].strip()
            if naive(source) != naive(target):
                flagged.append(TranslationPair(RecordKind.REFERENCE, f"{lang}{place}", "en", lang, source, target))
    # The nine, and a date whose month is a number in Chinese.
    assert len(flagged) == 10
    assert [line for pair in flagged for line in told([pair])] == []
    for lang in LANGS:
        assert told([pair for pair in flagged if pair.lang == lang]) == []


def naive(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d[\d.,]*\d|\d", text))
