from __future__ import annotations

from ragaliq.benchmark.translation.facts.spans import span_findings
from ragaliq.types.translation import RecordKind, TranslationPair
from unit.benchmark.translation.pair import pair, told

CHUNK = pair("The North Canteen is open.", "Die Nordkantine ist offen.")


def reference(source: str, target: str, lang: str = "de", gold: tuple[str, ...] = ("c1",)) -> TranslationPair:
    return TranslationPair(RecordKind.REFERENCE, "q1", "en", lang, source, target, "q1", gold)


def test_an_answer_that_the_translated_chunk_holds_is_fine() -> None:
    assert told(span_findings([CHUNK, reference("north canteen", "nordkantine!")])) == []


def test_an_answer_in_no_gold_chunk_is_an_error_and_one_with_another_form_a_warning() -> None:
    assert told(span_findings([CHUNK, reference("The North Canteen", "Südmensa")])) == [
        "span error: 'Südmensa' is not in c1, as it is in 'en'"
    ]
    assert told(span_findings([CHUNK, reference("The North Canteen", "Der Nordkantinen")])) == [
        "span warning: 'Der Nordkantinen' is not in c1, as it is in 'en'"
    ]


def test_nothing_is_said_where_the_source_does_not_hold_it_or_the_chunk_is_unknown() -> None:
    assert told(span_findings([CHUNK, reference("the south mess", "Südmensa")])) == []
    assert told(span_findings([CHUNK, reference("The North Canteen", "Südmensa", gold=("c2",))])) == []


def test_chinese_has_no_ends_of_words() -> None:
    chunk = pair("It has 308 rooms.", "共有308间客房。", "en>zh")
    assert told(span_findings([chunk, reference("308 rooms", "308间", "zh")])) == []
