from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from ragaliq.build.edition.ranges import SlotType, Value
from ragaliq.build.edition.slots import Slot
from ragaliq.build.edition.wording import read_wording

TEMPLATE = Path(__file__).parents[4] / "data" / "velmora" / "template"


def slot(kind: SlotType) -> Slot:
    return Slot("s", "a", kind, None)


def test_each_language_writes_in_its_own_way() -> None:
    cases: list[tuple[SlotType, Value, str, list[str]]] = [
        (SlotType.NUMBER, Decimal(1450), "", ["1,450", "1.450", "1\u202f450", "1.450", "1\xa0450", "1,450"]),
        (SlotType.NUMBER, Decimal("2.5"), "", ["2.5", "2,5", "2,5", "2,5", "2,5", "2.5"]),
        (SlotType.TIME, 555, "", ["09:15", "09:15", "09:15", "9:15", "09:15", "09:15"]),
        (
            SlotType.DATE,
            (11, 15),
            "",
            ["15 November", "15. November", "15 novembre", "15 de noviembre", "15 ноября", "11月15日"],
        ),
        (SlotType.YEAR, 1987, "", ["1987"] * 6),
        (SlotType.CODE, "B-417", "", ["B-417"] * 6),
        (
            SlotType.WEEKDAY,
            "tuesday",
            "every",
            ["on Tuesdays", "dienstags", "le mardi", "los martes", "по вторникам", "每周二"],
        ),
        (SlotType.WOMAN, "Mira Brandvik", "", [*["Mira Brandvik"] * 4, "Мира Брандвик", "米拉·布兰德维克"]),
        (SlotType.MAN, "Torben Norlin", "last", [*["Norlin"] * 4, "Норлин", "诺林"]),
    ]
    wordings = [read_wording(TEMPLATE, lang) for lang in ("en", "de", "fr", "es", "ru", "zh")]
    for kind, value, form, written in cases:
        assert [wording.write(slot(kind), value, form) for wording in wordings] == written, kind


def test_russian_names_inflect_but_not_the_surname_of_a_woman() -> None:
    russian = read_wording(TEMPLATE, "ru")
    assert russian.write(slot(SlotType.MAN), "Marek Norlin", "dat") == "Мареку Норлину"
    assert russian.write(slot(SlotType.MAN), "Marek Norlin", "last-ins") == "Норлином"
    assert russian.write(slot(SlotType.WOMAN), "Mira Norlin", "gen") == "Миры Норлин"
    assert russian.write(slot(SlotType.WEEKDAY), "tuesday", "on") == "во вторник"


def test_a_counted_word_takes_the_form_of_its_number() -> None:
    for lang, forms, number, written in [
        ("en", ["credit", "credits"], "1", "1 credit"),
        ("en", ["credit", "credits"], "32", "32 credits"),
        ("fr", ["heure", "heures"], "1.5", "1,5 heure"),
        ("ru", ["кредит", "кредита", "кредитов"], "31", "31 кредит"),
        ("ru", ["кредит", "кредита", "кредитов"], "32", "32 кредита"),
        ("ru", ["кредит", "кредита", "кредитов"], "12", "12 кредитов"),
        ("ru", ["метр", "метра", "метров"], "2.5", "2,5 метра"),
        # What is worked out from decimals may be whole.
        ("ru", ["метр", "метра", "метров"], "5.0", "5 метров"),
        ("en", ["metre", "metres"], "1.0", "1 metre"),
        ("en", ["credit", "credits"], "1E+3", "1,000 credits"),
    ]:
        assert read_wording(TEMPLATE, lang).counted(slot(SlotType.NUMBER), Decimal(number), forms) == written, lang


def test_every_language_has_the_same_words_in_its_pools() -> None:
    keys = [
        {name: sorted(words) for name, words in read_wording(TEMPLATE, lang).pools.items()}
        for lang in ("en", "de", "fr", "es", "ru", "zh")
    ]
    assert all(own == keys[0] for own in keys)


def test_different_words_are_written_differently() -> None:
    for lang in ("en", "de", "fr", "es", "ru", "zh"):
        for name, words in read_wording(TEMPLATE, lang).pools.items():
            plain = [forms["name"] for forms in words.values()]
            assert len(set(plain)) == len(plain), (lang, name)


def test_a_language_has_its_number_of_plural_forms() -> None:
    for lang, forms in [("ru", ["метр", "метров"]), ("en", ["a", "b", "c"]), ("de", ["a"])]:
        with pytest.raises(ValueError, match=f"'{lang}' has . plural forms"):
            read_wording(TEMPLATE, lang).counted(slot(SlotType.NUMBER), Decimal(5), forms)


def test_no_decimal_is_rounded_away() -> None:
    with pytest.raises(ValueError, match="more than three decimals"):
        read_wording(TEMPLATE, "de").write(slot(SlotType.PRODUCT), Decimal("2.9375"))
