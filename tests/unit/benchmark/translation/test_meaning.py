"""Translations of another text, by the multilingual encoder."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragaliq.benchmark.translation.meaning import meaning_findings
from ragaliq.types.translation import RecordKind, Severity, TranslationPair

ENGLISH = [
    "The ferry leaves the harbour at seven in the morning.",
    "Invoices must be paid within thirty days of receipt.",
    "The piano in the lounge may not be moved by guests.",
    "Penguins breed on the southern cliffs of the island.",
]
TRANSLATIONS = {
    "de": [
        "Die Fähre verlässt den Hafen um sieben Uhr morgens.",
        "Rechnungen sind innerhalb von dreißig Tagen nach Erhalt zu bezahlen.",
        "Das Klavier im Aufenthaltsraum darf von Gästen nicht verschoben werden.",
        "Pinguine brüten auf den südlichen Klippen der Insel.",
    ],
    "ru": [
        "Паром выходит из гавани в семь часов утра.",
        "Счета должны быть оплачены в течение тридцати дней после получения.",
        "Гостям нельзя двигать пианино в комнате отдыха.",
        "Пингвины гнездятся на южных скалах острова.",
    ],
    "zh": [
        "渡轮早上七点离开港口出发。",
        "账单必须在收到后的三十天之内付清款项。",
        "客人不得移动休息室里的那架钢琴。",
        "企鹅在该岛南部的悬崖上繁殖后代。",
    ],
}


def pairs(lang: str, order: list[int], record: RecordKind = RecordKind.NUGGET) -> list[TranslationPair]:
    targets = [TRANSLATIONS[lang][place] for place in order]
    return [
        TranslationPair(record, f"n{place}", "en", lang, source, target)
        for place, (source, target) in enumerate(zip(ENGLISH, targets, strict=True))
    ]


def found(given: list[TranslationPair]) -> list[tuple[str, Severity]]:
    return [(finding.id, finding.severity) for finding in meaning_findings(given)]


@pytest.mark.parametrize("lang", TRANSLATIONS)
def test_swapped_and_shifted_translations_are_errors(lang: str) -> None:
    assert found(pairs(lang, [0, 1, 2, 3])) == []
    assert found(pairs(lang, [1, 0, 2, 3])) == [("n0", Severity.ERROR), ("n1", Severity.ERROR)]
    assert found(pairs(lang, [3, 0, 1, 2])) == [(f"n{place}", Severity.ERROR) for place in range(4)]


@pytest.mark.parametrize("lang", TRANSLATIONS)
def test_one_sentence_of_a_chunk_is_enough(lang: str) -> None:
    own = TRANSLATIONS[lang]
    first = TranslationPair(RecordKind.CHUNK, "c1", "en", lang, " ".join(ENGLISH[:2]), " ".join([own[0], own[3]]))
    second = TranslationPair(RecordKind.CHUNK, "c2", "en", lang, " ".join(ENGLISH[2:]), " ".join([own[2], own[1]]))
    assert found([first, second]) == [("c1", Severity.ERROR), ("c2", Severity.ERROR)]


def test_kinds_of_records_are_compared_apart() -> None:
    given = [*pairs("de", [0, 1, 2, 3]), *pairs("de", [0, 1, 2, 3], RecordKind.QUERY)]
    assert found(given) == []


def test_a_text_on_another_topic_is_a_warning() -> None:
    given = [replace(pairs("de", [0, 1, 2, 3])[0], target="Quantencomputer rechnen mit verschränkten Zuständen.")]
    assert found(given) == [("n0", Severity.WARNING)]


def test_the_text_is_quoted_on_one_line_and_cut_where_it_is_very_long() -> None:
    ways = " ".join(["Quantencomputer rechnen mit verschränkten Zuständen."] * 9)
    target = f"Quantencomputer\nrechnen mit verschränkten Zuständen.\n{ways}"
    [finding] = meaning_findings([replace(pairs("de", [0, 1, 2, 3])[0], target=target)])
    quote = " ".join(target.split())[:299] + "…"
    assert finding.message == f"translation is another topic: '{quote}'"


def test_a_language_that_the_encoder_does_not_know_has_no_findings() -> None:
    assert found([replace(pair, lang="fi") for pair in pairs("de", [1, 0, 2, 3])]) == []
    assert found([]) == []
