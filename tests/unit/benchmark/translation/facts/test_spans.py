from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("lang", "text", "answer", "other"),
    [
        ("th", "คนขับรถไปที่สถานี", "สถานี", "โรงพยาบาล"),
        ("lo", "ລົດໄປທີ່ສະຖານີ", "ສະຖານີ", "ໂຮງຫມໍ"),
        ("km", "ឡានទៅស្ថានីយ៍", "ស្ថានីយ៍", "មន្ទីរពេទ្យ"),
        ("my", "ကားဘူတာသို့သွားသည်", "ဘူတာ", "ဆေးရုံ"),
        ("ja", "運転手は駅へ行く", "駅", "病院"),
    ],
)
def test_scripts_without_blanks_have_no_ends_of_words(lang: str, text: str, answer: str, other: str) -> None:
    chunk = pair("The driver goes to the station.", text, f"en>{lang}")
    assert told(span_findings([chunk, reference("the station", answer, lang)])) == []
    assert told(span_findings([chunk, reference("the station", other, lang)])) == [
        f"span error: '{other}' is not in c1, as it is in 'en'"
    ]


def test_most_of_an_answer_without_blanks_is_a_warning() -> None:
    chunk = pair("The driver goes to the station.", "คนขับรถไปที่สถานี", "en>th")
    assert told(span_findings([chunk, reference("the station", "สถานีรถ", "th")])) == [
        "span warning: 'สถานีรถ' is not in c1, as it is in 'en'"
    ]
