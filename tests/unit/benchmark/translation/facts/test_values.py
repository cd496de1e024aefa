from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.facts.values import fact_findings
from unit.benchmark.translation.pair import pair, told

# Language, source, translation, kind, severity, what the translation lacks, what it adds.
WRONG = [
    ("de", "It costs 45 credits.", "Es kostet 54 Punkte.", "number error", "45", "54"),
    ("fr", "Open from 09:00.", "Ouvert à partir de 08 h.", "number error", "09:00", "08 h"),
    ("es", "Send it by 5 May.", "Envíelo antes del 5 de junio.", "date error", "5 May.", "5 de junio"),
    ("ru", "Every Tuesday", "Каждую среду", "date error", "Tuesday", "среду"),
    ("fr", "It is 155 cm high.", "Il mesure 155 mm de haut.", "unit error", "155 cm", "155 mm"),
    ("zh", "filled to 210 bar", "充至210帕", "unit error", "210 bar", "210帕"),
    ("fr", "It is due on 14 April.", "La taxe est due le 14/05.", "date error", "14 April", "14/05"),
    ("zh", "wait 30 minutes", "等30小时", "unit error", "30 minutes", "30小时"),
    ("de", "It takes two people.", "Es braucht fünf Personen.", "number error", "two", "fünf"),
    ("zh", "two fire drills", "七次消防演习", "number error", "two", "七"),
    ("de", "Room C-214", "Raum C-241", "name error", "C-214", "C-241"),
    ("zh", "less CO2 than before", "二氧化碳比以前少", "name warning", "CO2", ""),
    ("ru", "121,154 people", "121,154 человек", "number warning", "121,154", "121,154"),
]

RIGHT = [
    ("de", "20,000 people", "20.000 Menschen"),
    ("ru", "20,000 people", "20 000 человек"),
    ("zh", "120 seats", "一百二十个座位"),
    ("zh", "Every 3 months", "每三个月"),
    ("zh", "in January", "1月"),
    ("fr", "It closes at 5:45 p.m.", "Il ferme à 17 h 45."),
    ("de", "It is 20 miles from here.", "Es sind von hier 32 km."),
    ("zh", "The song lasts 4:51.", "这首歌长4分51秒。"),
    ("fr", "Add ½ litre.", "Ajoutez 1/2 litre."),
    ("zh", "It takes one and a half hours.", "需要一个半小时。"),
    ("de", "90 km2 of forest", "90 Quadratkilometer Wald"),
    ("fr", "She was seventeen and an hour late.", "Elle avait dix-sept ans et une heure de retard."),
    ("de", "State Route 99", "SR-99"),
    ("fr", "It is due on 14 April.", "La taxe est due le 14/04."),
    ("fr", "He hit 10 of 12 targets.", "Il a touché 10/12 cibles."),
    ("zh", "filled to 210 bar", "充至210巴"),
    ("de", "a pressure of 2 bar", "ein Druck von 200 kPa"),
]


@pytest.mark.parametrize(("lang", "source", "target", "kind", "lost", "added"), WRONG)
def test_a_changed_value_is_named_by_its_kind(
    lang: str, source: str, target: str, kind: str, lost: str, added: str
) -> None:
    message = f"{kind}: '{lost}' not in the translation" + (f"; '{added}' not in the source" if added else "")
    assert told(fact_findings([pair(source, target, f"en>{lang}")])) == [message]


@pytest.mark.parametrize(("lang", "source", "target"), RIGHT)
def test_the_same_value_in_another_form_is_no_error(lang: str, source: str, target: str) -> None:
    assert [line for line in told(fact_findings([pair(source, target, f"en>{lang}")])) if "error" in line] == []


def test_a_prefix_in_chinese_belongs_to_the_unit() -> None:
    assert told(fact_findings([pair("a pressure of 210 kPa", "压力为210千帕", "en>zh")])) == []


def test_a_question_may_leave_a_value_out_but_not_change_it() -> None:
    assert told(fact_findings([pair("Is it open at 9:00?", "Ist dann offen?", record="query")])) == []
    changed = pair("Is it open at 9:00?", "Ist um 8:00 offen?", record="query")
    assert told(fact_findings([changed])) == ["number error: '9:00' not in the translation; '8:00' not in the source"]


def test_a_language_without_number_words_and_an_empty_translation_say_nothing() -> None:
    assert told(fact_findings([pair("45 credits", "54 punktów", "en>pl"), pair("45 credits", " ")])) == []


@pytest.mark.parametrize(
    ("source", "target", "langs"),
    [
        ("The pressure is 300 kPa.", "La pression est de 3 bars.", "en>fr"),
        ("The pressure is 300 kPa.", "La presión es de 3 bares.", "en>es"),
        ("Der Druck beträgt 300 kPa.", "The pressure is 3 bars.", "de>en"),
        ("Давление равно 300 кПа.", "The pressure is 3 bars.", "ru>en"),
        ("压力为300千帕。", "La presión es de 3 bares.", "zh>es"),
        ("The pressure is 900 hPa.", "La presión es de 900 milibares.", "en>es"),
        ("Drive at 60 km/h.", "Fahren Sie 60 Kilometer pro Stunde.", "en>de"),
        ("Drive at 60 km/h.", "Roulez à 60 kilomètres à l'heure.", "en>fr"),
        ("Drive at 60 km/h.", "Circule a 60 kilómetros por hora.", "en>es"),
        ("Drive at 60 km/h.", "Скорость – 60 километров в час.", "en>ru"),
    ],
)
def test_a_measure_with_its_unit_in_full_is_the_same(source: str, target: str, langs: str) -> None:
    assert told(fact_findings([pair(source, target, langs)])) == []
