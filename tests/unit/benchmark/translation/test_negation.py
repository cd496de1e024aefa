"""Negations lost and added, by hand in six languages."""

from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.negation import negation_findings
from ragaliq.types.translation import RecordKind, Severity, TranslationPair

# What is said, and the same without its negation.
LOST = {
    "de": ("Das Klavier darf nicht verschoben werden.", "Das Klavier darf verschoben werden."),
    "fr": ("Le piano ne doit pas être déplacé.", "Le piano doit être déplacé."),
    "es": ("El piano no debe moverse.", "El piano debe moverse."),
    "ru": ("Двигать пианино нельзя.", "Двигать пианино можно."),
    "zh": ("钢琴不得移动。", "钢琴可以移动。"),
}


def severities(source: str, target: str, langs: str) -> list[Severity]:
    source_lang, lang = langs.split(">")
    pair = TranslationPair(RecordKind.CHUNK, "c1", source_lang, lang, source, target)
    findings = list(negation_findings([pair]))
    assert all(finding.kind == "negation" and finding.id == "c1" for finding in findings)
    return [finding.severity for finding in findings]


@pytest.mark.parametrize("lang", LOST)
def test_a_lost_negation_is_an_error(lang: str) -> None:
    sound, lost = LOST[lang]
    assert severities("The piano must not be moved.", sound, f"en>{lang}") == []
    assert severities("The piano must not be moved.", lost, f"en>{lang}") == [Severity.ERROR]
    assert severities(sound, "The piano must not be moved.", f"{lang}>en") == []
    assert severities(sound, "The piano must be moved.", f"{lang}>en") == [Severity.ERROR]


@pytest.mark.parametrize("lang", LOST)
def test_an_added_negation_is_a_warning(lang: str) -> None:
    assert severities("The piano was moved yesterday.", LOST[lang][0], f"en>{lang}") == [Severity.WARNING]
    # The other language often negates what this one puts in a plain word.
    assert severities("The piano is still hard to move.", LOST[lang][0], f"en>{lang}") == []


@pytest.mark.parametrize(
    ("source", "target", "langs"),
    [
        ("A stay lasts no more than 21 days.", "Ein Aufenthalt dauert höchstens 21 Tage.", "en>de"),
        ("A stay lasts no more than 21 days.", "Un séjour dure 21 jours au plus.", "en>fr"),
        ("A group has at most ten people.", "В группе не более десяти человек.", "en>ru"),
        ("Feeding is not allowed.", "Кормление запрещено.", "en>ru"),
        ("A copy is not valid.", "Копия недействительна.", "en>ru"),
        ("You have 80 days, don't you?", "Tengo 80 días, ¿verdad?", "en>es"),
        ("It sails only on Tuesdays.", "Il ne quitte le port que le mardi.", "en>fr"),
        ("It is open, whether or not it rains.", "不论是否下雨都开放。", "en>zh"),
        ("Different days, a different price.", "不同的日子，不同的价格。", "en>zh"),
        ("操作车床时禁止戴手套。", "Gloves are forbidden at the lathe.", "zh>en"),
        ("螃蟹等无脊椎动物要检疫。", "Invertebrates such as crabs stay in quarantine.", "zh>en"),
        ("Форму подают не позднее 18 февраля.", "The form must arrive by 18 February.", "ru>en"),
        ("Транспорт держится не ближе 25 м.", "Vehicles keep 25 m away from it.", "ru>en"),
        ("Ждите, пока ток не вернётся.", "Wait until the power returns.", "ru>en"),
        ("J'ai bien 80 jours, non ?", "I do have 80 days?", "fr>en"),
        ("Tiene más que ninguna otra casa.", "It has the most of all houses.", "es>en"),
        ("Una reportera no para de preguntar.", "A reporter keeps asking.", "es>en"),
        ("Las visitas no empiezan hasta las 23:15.", "Les visites ne commencent qu'à 23:15.", "es>fr"),
        ("Treppen kommen nicht in Frage.", "Las escaleras quedan descartadas.", "de>es"),
        ("Écrivez ce qui ne va pas.", "Write down the damage.", "fr>en"),
        ("Le circuit ne comporte aucune marche.", "The route is free of steps.", "fr>en"),
        ("Podemos cruzarla, ¿no?", "Can we cross it?", "es>en"),
        ("Who replaces her when she is away?", "Wer vertritt sie, wenn sie nicht da ist?", "en>de"),
    ],
)
def test_what_is_put_in_another_way_is_no_finding(source: str, target: str, langs: str) -> None:
    assert severities(source, target, langs) == []


@pytest.mark.parametrize(
    ("target", "lang"),
    [("Ein Aufenthalt dauert mehr als 21 Tage.", "de"), ("Пребывание длится дольше 21 дня.", "ru")],
)
def test_a_limit_without_its_negation_is_an_error(target: str, lang: str) -> None:
    assert severities("A stay lasts no more than 21 days.", target, f"en>{lang}") == [Severity.ERROR]


def test_sentences_are_compared_one_by_one() -> None:
    source = "Nobody enters the hall. The ship leaves on Monday. It does not wait."
    target = "Niemand betritt die Halle. Das Schiff legt am Montag ab. Es wartet."
    assert severities(source, target, "en>de") == [Severity.ERROR]


def test_a_lost_without_is_a_warning() -> None:
    assert severities("Enter without a guide.", "Mit Führer betreten.", "en>de") == [Severity.WARNING]


@pytest.mark.parametrize(
    ("source", "langs"),
    [
        ("故障仍未排除。", "zh>en"),
        ("Неисправность не устранена.", "ru>en"),
    ],
)
def test_where_a_plain_word_may_say_the_same_it_is_a_warning(source: str, langs: str) -> None:
    assert severities(source, "The fault remains.", langs) == [Severity.WARNING]
    # Beside no such word it is an error, from Chinese only for a word of two characters.
    assert severities(source, "The fault was found.", langs) == [
        Severity.WARNING if langs == "zh>en" else Severity.ERROR
    ]


def test_a_pattern_is_written_in_folded_letters() -> None:
    assert severities("Скидка дана не на книги.", "Der Rabatt gilt, außer auf Bücher.", "ru>de") == []


def test_a_language_without_a_table_has_no_findings() -> None:
    assert severities("It is not open.", "開いています。", "en>ja") == []
    assert severities("", "", "en>de") == []
