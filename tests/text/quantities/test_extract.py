"""What is read in a text, and how strongly it is meant."""

from __future__ import annotations

import pytest

from ragaliq.text.quantities.entities import capitals
from ragaliq.text.quantities.extract import LANGUAGES, comparable, quantities
from ragaliq.text.quantities.han import han_value
from ragaliq.text.quantities.mentions import Force


def read(text: str, lang: str) -> list[tuple[str, ...]]:
    return [
        tuple(f"{atom.kind} {atom.value} {atom.unit}".strip() for atom in each.readings[0])
        for each in quantities(text, lang)
    ]


@pytest.mark.parametrize(
    ("run", "value"),
    [
        ("一百二十", 120),
        ("两千五", 2500),
        ("一百二", 120),
        ("一万零五百", 10_500),
        ("十五", 15),
        ("二〇二六", 2026),
        ("三亿", 300_000_000),
        ("一千零一", 1001),
        ("九十九", 99),
        ("十万", 100_000),
        ("三四十", None),
    ],
)
def test_numerals_have_their_values(run: str, value: int | None) -> None:
    assert han_value(run) == value


def test_all_is_read_in_reading_order() -> None:
    text = "Write to a@b.example by 15 November, 16:30, on form V-2: 1,450 credits for 3 kg, on Monday."
    assert read(text, "en") == [
        ("number 1",),
     ("name a@b.example",),
     ("date 11-15",),
     ("time 16:30",),
     ("name V-2",),
     ("number 1450",),
        ("number 3 kg",),
     ("weekday 1",),
    ][1:]  # fmt: skip


def test_a_number_may_have_several_readings() -> None:
    (mention,) = quantities("100,222", "en")
    assert [[atom.value for atom in reading] for reading in mention.readings] == [["100222"], ["100", "222"]]
    (mention,) = quantities("le 1.450", "fr")
    assert [[atom.value for atom in reading] for reading in mention.readings] == [["1450"], ["1.45"]]


@pytest.mark.parametrize(
    ("text", "lang", "force"),
    [
        ("7", "en", Force.DEMANDED),
        ("seven", "en", Force.SPELLED),
        ("a", "en", Force.ALLOWED),
        ("second", "en", Force.ALLOWED),
        ("sieben", "de", Force.SPELLED),
        ("siebenfach", "de", Force.ALLOWED),
        ("七天", "zh", Force.SPELLED),
        ("七", "zh", Force.ALLOWED),
        ("十七", "zh", Force.DEMANDED),
        ("шести", "ru", Force.SPELLED),
        ("семью", "ru", Force.ALLOWED),
        ("neuf", "fr", Force.ALLOWED),
        ("once", "es", Force.SPELLED),
        ("fünfundvierzig", "de", Force.SPELLED),
        ("acht", "de", Force.SPELLED),
        ("two metres", "en", Force.SPELLED),
        ("two weeks", "en", Force.ALLOWED),
        ("two", "en", Force.ALLOWED),
        ("两米", "zh", Force.SPELLED),
        ("两周", "zh", Force.ALLOWED),
        ("数十万", "zh", Force.ALLOWED),
        ("midnight", "en", Force.SPELLED),
        ("half past nine", "en", Force.SPELLED),
        ("in May", "en", Force.DEMANDED),
        ("May we", "en", Force.ALLOWED),
        ("в мае", "ru", Force.DEMANDED),
        ("среда", "ru", Force.ALLOWED),
        ("среду", "ru", Force.DEMANDED),
        ("Dienstagsfähre", "de", Force.ALLOWED),
    ],
)
def test_words_mean_their_numbers_more_or_less(text: str, lang: str, force: Force) -> None:
    (mention,) = quantities(text, lang)
    assert mention.force is force


@pytest.mark.parametrize("text", ["", "none at all", "\ufffc", "．。，", "\U00016130"])
def test_a_text_without_numbers_states_nothing(text: str) -> None:
    for lang in LANGUAGES:
        assert not quantities(text, lang)


def test_capitals_are_latin_words_of_several_letters() -> None:
    assert capitals("VHF und USA, I, UKW-Funk, ABCDEFGH, V2, ВЧ，请用VHF。") == {"VHF", "USA", "UKW"}


def test_languages_with_tables_can_be_compared() -> None:
    assert comparable("de-CH")
    assert not comparable("pl")


def test_a_long_run_takes_no_long_time() -> None:
    for text in ("1," * 500, "1 " * 500, "一" * 500, "A1-" * 500, "a.b" * 500, "12:30-" * 500, "5 and " * 500):
        for lang in LANGUAGES:
            quantities(text, lang)
