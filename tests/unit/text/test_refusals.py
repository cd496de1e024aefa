from __future__ import annotations

import json
from pathlib import Path

import pytest
import regex

from ragaliq.text.refusals import abstains, not_found, refusal, refusal_version, without_refusals
from ragaliq.types import Refusal

ROOT = Path(__file__).resolve().parents[3]
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


def test_an_answer_that_also_states_something_is_a_partial_refusal() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "The boat leaves on Tuesday at nine from the northern pier.", "\n"),
        ("zh", "船每周二九点从北码头出发。", ""),
    ]
    for lang, sentence, blank in cases:
        long = blank.join([sentence] * 10)
        for said in (sentence, long):
            assert refusal(f"{said}{blank}{not_found(lang)}", lang) is Refusal.PARTIAL, lang
            assert refusal(f"{not_found(lang)}{blank}{said}", lang) is Refusal.PARTIAL, lang
            assert refusal(said, lang) is Refusal.NONE, lang


@pytest.mark.slow
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


def test_what_newcomers_wrote_is_recognised() -> None:
    cases = [
        ("de", "Der bereitgestellte Kontext enthält diese Information nicht."),
        ("de", "Das weiß ich leider nicht."),
        ("zh", "无法根据上下文回答该问题。"),
        ("zh", "没有找到。"),
        ("en", "N/A"),
        ("ru", "N/A."),
        ("sv", "I don't know."),
        ("it", "Non lo so."),
    ]
    assert [case for case in cases if refusal(case[1], case[0]) is not Refusal.FULL] == []


def test_a_pointer_elsewhere_states_nothing_and_a_clause_behind_a_but_may() -> None:
    assert refusal("Sorry, I could not find this. Please contact the town hall.", "en") is Refusal.FULL
    assert refusal("I don't know when it opens, but a ticket costs 5 euros.", "en") is Refusal.PARTIAL
    assert refusal("Wann es öffnet, weiß ich nicht, aber eine Karte kostet 5 Euro.", "de") is Refusal.PARTIAL
    assert refusal("The boat leaves at 9:15, the price is not stated in the documents.", "en") is Refusal.PARTIAL
    assert refusal("While the text does not mention the fee, the permit costs 5 euros.", "en") is Refusal.PARTIAL


def test_an_interjection_states_nothing_beside_a_refusal() -> None:
    for text in ("不，我不知道。", "嗯，我不清楚。", "没有，文件没说。"):
        assert refusal(text, "zh") is Refusal.FULL, text


def test_what_an_answer_says_beside_its_refusal() -> None:
    assert without_refusals("I don't know. If I had to guess, bus 17.", "en") == "If I had to guess, bus 17."
    for lang, text in (
        ("en", "I do not know whether the market is on Monday."),
        ("de", "Ich weiß nicht, ob der Markt am Montag ist."),
        ("fr", "Je ne sais pas si le marché a lieu le lundi."),
        ("es", "No sé si el mercado es el lunes."),
        ("ru", "Я не знаю, бывает ли рынок в понедельник."),
        ("zh", "我不知道集市是不是在星期一。"),
    ):
        assert without_refusals(text, lang) == "", text
    # Right answers that the detector takes for refusals.
    assert without_refusals("The deadline is no later than October.", "en") == "The deadline is no later than October."
    opens = "Abre a las seis y media, no a las siete como aparece en algunas aplicaciones."
    assert without_refusals(opens, "es") == "Abre a las seis y media"


def test_findings_do_not_depend_on_what_was_asked_before() -> None:
    texts = [
        "I don't know.",
        "No, dogs are not allowed.",
        "It is red. The price is not stated in the text.",
    ]
    first = [refusal(text, "en") for text in texts]
    assert [refusal(text, "en-GB") for text in reversed(texts)] == first[::-1]


def test_the_version_is_a_short_hash() -> None:
    assert len(refusal_version()) == 12 and refusal_version() == refusal_version()


def _rows(sample: Path, lang: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]


def test_the_page_shows_the_cards_figures() -> None:
    card = json.loads((ROOT / "studies" / "refusals" / "card.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "refusals.md").read_text(encoding="utf-8")
    for lang, figures in card["answers written afterwards"].items():
        shares = [f"{figures[name]['share']:.3f}".removeprefix("0") for name in ("recall", "false alarms")]
        assert f"| {lang} | {shares[0]} [" in page
        assert f"] | {shares[1]} [" in page
    for hits, n in card["taken for a full refusal"].values():
        assert regex.search(rf"\b{hits:,} of\s{n:,}\b", page), (hits, n)
