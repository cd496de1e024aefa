from __future__ import annotations

import json
from pathlib import Path

from ragaliq.text.refusals import abstains, not_found

LANGS = ("en", "de", "fr", "es", "ru", "zh")


def test_our_own_phrase_is_recognised() -> None:
    for lang in LANGS:
        assert abstains(not_found(lang), lang), lang
        assert abstains(not_found(lang).upper(), lang), lang
        assert abstains(f"  {not_found(lang)}\n", lang), lang


def test_english_is_recognised_in_every_language() -> None:
    for lang in LANGS:
        assert abstains(not_found("en"), lang), lang


def test_phrases_differ_and_an_unknown_language_gets_english() -> None:
    assert len({not_found(lang) for lang in LANGS}) == len(LANGS)
    assert not_found("xx") == not_found("en")
    assert abstains(not_found("xx"), "xx")


def test_in_a_long_answer_only_the_first_sentence_abstains() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "The boat leaves on Tuesday at nine from the northern pier.", "\n"),
        ("zh", "船每周二九点从北码头出发。", ""),
    ]
    for lang, sentence, blank in cases:
        long = blank.join([sentence] * 10)
        assert not abstains(f"{long}{blank}{not_found(lang)}", lang), lang
        assert abstains(f"{not_found(lang)}{blank}{long}", lang), lang
        assert abstains(f"{sentence}{blank}{not_found(lang)}", lang), lang


def test_no_reference_of_the_sample_is_taken_for_an_abstention(sample: Path) -> None:
    for lang in LANGS:
        answerable = [row for row in _rows(sample, lang) if row["answerable"]]
        assert len(answerable) == 148, lang
        assert [row["query_id"] for row in answerable if abstains(str(row["reference"]), lang)] == [], lang


def test_references_of_unanswerable_queries_abstain(sample: Path) -> None:
    for lang in LANGS:
        unanswerable = [row for row in _rows(sample, lang) if not row["answerable"]]
        assert len(unanswerable) == 26, lang
        assert [row["query_id"] for row in unanswerable if not abstains(str(row["reference"]), lang)] == [], lang


def _rows(sample: Path, lang: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]
