from __future__ import annotations

from time import process_time

import pytest

from ragaliq.benchmark.translation.facts.glossary import glossary_check
from ragaliq.benchmark.translation.terms_kept import Terms
from unit.benchmark.translation.pair import pair, told

TERMS = Terms(frozenset({"Tarnholt"}), {"de": {"Wet Lab": "Nasslabor"}, "ru": {"Wet Lab": "Мокрая лаборатория"}})


def test_a_kept_term_must_stand_there_to_the_letter() -> None:
    check = glossary_check(TERMS)
    assert told(check([pair("The Tarnholt sails.", "Die Tarnhold fährt.")])) == [
        "glossary error: 'Tarnholt' must stay as it is"
    ]
    assert told(check([pair("The Tarnholt sails.", "Die Tarnholt fährt."), pair("Tarnholter", "Leute")])) == []


def test_a_term_of_the_glossary_has_its_translation_in_any_form() -> None:
    check = glossary_check(TERMS)
    assert told(check([pair("the wet lab", "im Labor")])) == ["glossary error: 'Wet Lab' should be 'Nasslabor'"]
    assert told(check([pair("the Wet Lab", "das Nasslabor"), pair("a dry lab", "ein Labor")])) == []
    inflected = pair("in the Wet Lab", "в мокрой лаборатории", "en>ru")
    assert told(check([inflected])) == ["glossary warning: 'Wet Lab' should be 'Мокрая лаборатория'"]


def test_letters_of_scripts_without_endings_are_all_of_a_term() -> None:
    cases = [
        ("zh", "综合信息系统", "在综合信息平台上", "综合信息系统上"),
        ("ja", "総合情報センター", "総合情報センサー", "総合情報センターで"),
        ("ko", "종합정보시스템", "종합정보시설은", "종합정보시스템은"),
    ]
    for lang, translation, wrong, right in cases:
        check = glossary_check(Terms(glossary={lang: {"system": translation}}))
        assert told(check([pair("the system", right, f"en>{lang}")])) == []
        assert told(check([pair("the system", wrong, f"en>{lang}")])) == [
            f"glossary error: 'system' should be '{translation}'"
        ]


def test_without_terms_nothing_is_said() -> None:
    assert told(glossary_check(Terms())([pair("the Wet Lab", "im Labor")])) == []


@pytest.mark.parametrize(
    ("term", "source", "langs"),
    [
        ("SAP", "我使用SAP系统。", "zh>de"),
        ("SAP", "SAPシステムを使う。", "ja>de"),
        ("SAP", "ฉันใช้SAPทุกวัน", "th>de"),
        ("SAP", "SAP를 사용한다.", "ko>de"),
        ("オフィス", "新しいオフィスは閉まっている。", "ja>de"),
        ("SAP系统", "我使用SAP系统。", "zh>de"),
        ("สถานี", "คนขับรถไปที่สถานี", "th>de"),
    ],
)
def test_terms_beside_scripts_without_blanks_are_seen(term: str, source: str, langs: str) -> None:
    lost = pair(source, "Ich nutze es.", langs)
    assert told(glossary_check(Terms(frozenset({term})))([lost])) == [f"glossary error: '{term}' must stay as it is"]
    check = glossary_check(Terms(glossary={"de": {term: "Wort"}}))
    assert told(check([lost])) == [f"glossary error: '{term}' should be 'Wort'"]


def test_a_term_inside_a_word_is_none() -> None:
    words = [pair("SAPs, ASAP, SAP2 and sap_x", "–"), pair("我使用ASAP系统。", "–", "zh>de")]
    assert told(glossary_check(Terms(frozenset({"SAP"}), {"de": {"SAP": "Wort"}}))(words)) == []


def test_a_long_glossary_is_read_once() -> None:
    glossary = {f"Term {number} Lab": f"Labor {number}" for number in range(3000)}
    check = glossary_check(Terms(frozenset(glossary), {"de": glossary}))
    list(check([pair("a", "b")]))
    start = process_time()
    findings = list(check([pair(f"Term {number} Lab opens.", f"Das Labor {number} öffnet.") for number in range(30)]))
    assert process_time() - start < 0.5
    assert len(findings) == 30  # Kept to the letter they are not; their translation is there.
