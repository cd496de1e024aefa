"""What is read in a text, and how strongly it is meant."""

from __future__ import annotations

from ragaliq.text.quantities.entities import capitals
from ragaliq.text.quantities.extract import LANGUAGES, comparable, quantities
from ragaliq.text.quantities.han import han_value
from ragaliq.text.quantities.mentions import Strictness


def read(text: str, lang: str) -> list[tuple[str, ...]]:
    return [
        tuple(f"{quantity.kind} {quantity.value} {quantity.unit}".strip() for quantity in each.readings[0])
        for each in quantities(text, lang)
    ]


def test_numerals_have_their_values() -> None:
    cases: list[tuple[str, int | None]] = [
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
    ]
    for run, value in cases:
        assert han_value(run) == value, run


def test_all_is_read_in_reading_order() -> None:
    text = "Write to a@b.example by 15 November, 16:30, on form V-2: 1,450 credits for 3 kg, on Monday."
    assert read(text, "en") == [
        ("name a@b.example",), ("date 11-15",), ("time 16:30",), ("name V-2",), ("number 1450",), ("number 3 kg",),
        ("weekday 1",),
    ]  # fmt: skip


def test_a_number_may_have_several_readings() -> None:
    (mention,) = quantities("100,222", "en")
    assert [[quantity.value for quantity in reading] for reading in mention.readings] == [["100222"], ["100", "222"]]
    (mention,) = quantities("le 1.450", "fr")
    assert [[quantity.value for quantity in reading] for reading in mention.readings] == [["1450"], ["1.45"]]


def test_words_mean_their_numbers_more_or_less() -> None:
    cases: list[tuple[str, str, Strictness]] = [
        ("7", "en", Strictness.DEMANDED),
        ("seven", "en", Strictness.SPELLED),
        ("a", "en", Strictness.ALLOWED),
        ("second", "en", Strictness.ALLOWED),
        ("sieben", "de", Strictness.SPELLED),
        ("siebenfach", "de", Strictness.ALLOWED),
        ("七天", "zh", Strictness.SPELLED),
        ("七", "zh", Strictness.ALLOWED),
        ("十七", "zh", Strictness.DEMANDED),
        ("шести", "ru", Strictness.SPELLED),
        ("семью", "ru", Strictness.ALLOWED),
        ("neuf", "fr", Strictness.ALLOWED),
        ("once", "es", Strictness.SPELLED),
        ("fünfundvierzig", "de", Strictness.SPELLED),
        ("acht", "de", Strictness.SPELLED),
        ("two metres", "en", Strictness.SPELLED),
        ("two weeks", "en", Strictness.ALLOWED),
        ("two", "en", Strictness.ALLOWED),
        ("两米", "zh", Strictness.SPELLED),
        ("两周", "zh", Strictness.ALLOWED),
        ("数十万", "zh", Strictness.ALLOWED),
        ("midnight", "en", Strictness.SPELLED),
        ("half past nine", "en", Strictness.SPELLED),
        ("in May", "en", Strictness.DEMANDED),
        ("May we", "en", Strictness.ALLOWED),
        ("в мае", "ru", Strictness.DEMANDED),
        ("среда", "ru", Strictness.ALLOWED),
        ("среду", "ru", Strictness.DEMANDED),
        ("Dienstagsfähre", "de", Strictness.ALLOWED),
    ]
    for text, lang, strictness in cases:
        (mention,) = quantities(text, lang)
        assert mention.strictness is strictness, (text, lang)


def test_a_text_without_numbers_states_nothing() -> None:
    for text in ["", "none at all", "\ufffc", "．。，", "\U00016130"]:
        for lang in LANGUAGES:
            assert not quantities(text, lang), text


def test_capitals_are_latin_words_of_several_letters() -> None:
    assert capitals("VHF und USA, I, UKW-Funk, ABCDEFGH, V2, ВЧ，请用VHF。") == {"VHF", "USA", "UKW"}


def test_languages_with_tables_can_be_compared() -> None:
    assert comparable("de-CH")
    assert not comparable("pl")


def test_a_long_run_takes_no_long_time() -> None:
    for text in ("1," * 250, "1 " * 250, "一" * 250, "A1-" * 250, "a.b" * 250, "12:30-" * 250, "5 and " * 250):
        for lang in LANGUAGES:
            quantities(text, lang)
