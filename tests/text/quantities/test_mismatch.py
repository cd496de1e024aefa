"""The same facts in two languages agree, and others do not."""

from __future__ import annotations

import pytest

from ragaliq.errors import InputError
from ragaliq.text.quantities.mismatch import mismatch

AGREE = [
    # The false positives of a check of digits alone.
    ("en", "It costs 20,000 credits.", "de", "Es kostet 20.000 Punkte."),
    ("en", "It costs 20,000 credits.", "fr", "Cela coûte 20 000 crédits."),
    ("en", "It costs 20,000 credits.", "fr", "Cela coûte 20\u202f000 crédits."),
    ("en", "There are 120 places.", "zh", "共有一百二十个座位。"),
    ("en", "Every 3 months.", "zh", "每三个月一次。"),
    ("en", "It opens in January.", "zh", "1月开放。"),
    ("en", "It opens in January.", "zh", "一月开放。"),
    # Separators, signs, digits of other scripts.
    ("en", "1,450", "es", "1450"),
    ("en", "1,450", "es", "1.450"),
    ("en", "1,450.5", "de", "1.450,5"),
    ("en", "1,450.5", "de", "1’450,5"),
    ("en", "2.5 km", "ru", "2,5 км"),
    ("en", "2.50 metres", "fr", "2,5 mètres"),
    ("en", "2,000,000 people", "zh", "200万人"),
    ("en", "3 million", "de", "3 Millionen"),
    ("en", "3 million", "ru", "3 млн"),
    ("en", "3,000 books", "ru", "3 тыс. книг"),
    ("en", "150,000 books", "zh", "15万册"),
    ("en", "120 million", "zh", "1.2亿"),
    ("en", "2½ hours", "de", "2,5 Stunden"),
    ("en", "2.5 hours", "zh", "两个半小时"),
    ("en", "4 rooms", "zh", "４间房"),
    ("en", "a tank of 280 m³", "zh", "280立方米的油罐"),
    ("en", "Stop before 15:25 on Wednesdays: then it changes.", "es", "Pare los miércoles antes de las 15:25: cambia."),
    ("en", "rooms 100, 222 and 340", "zh", "房间100，222和340"),
    ("en", "at −40 °C", "ru", "при минус 40 градусах"),
    ("en", "at -5 °C", "zh", "零下5度"),
    ("en", "at 5 °C below zero", "de", "bei −5 °C"),
    ("en", "5-10 km", "fr", "de 5 à 10 km"),
    ("en", "at least 30 minutes", "es", "al menos 30 minutos"),
    ("en", "at least 30 minutes", "fr", "au moins 30 minutes"),
    ("en", "2,500 credits", "zh", "两千五百信用点"),
    ("en", "2 weeks", "zh", "两周"),
    ("en", "10,500", "zh", "一万零五百"),
    ("en", "105 days", "zh", "一百零五天"),
    ("en", "in 1987", "zh", "一九八七年"),
    ("en", "in 1987", "ru", "в 1987 году"),
    ("en", "the 61st night", "ru", "61-я ночь"),
    ("en", "the 61st night", "zh", "第61晚"),
    ("en", "3 to 4 days", "zh", "三四天"),
    ("en", "20 %", "zh", "百分之二十"),
    ("en", "20 percent", "zh", "百分之20"),
    ("en", "20 per cent", "fr", "20 %"),
    ("en", "5 kg", "zh", "5千克"),
    ("en", "5 kg", "zh", "5公斤"),
    ("en", "5 km", "zh", "5千米"),
    ("en", "$5", "de", "5 Dollar"),
    ("en", "€12.50", "fr", "12,50 €"),
    ("en", "the 1990s", "de", "die 90er-Jahre"),
    ("en", "the 1990s", "zh", "20世纪90年代"),
    ("en", "30 to 50 thousand", "zh", "3到5万"),
    ("en", "30 to 50 thousand", "de", "30.000 bis 50.000"),
    ("en", "£30m", "de", "30 Mio. Pfund"),
    ("en", "five million", "zh", "500万"),
    # Spelled out.
    ("en", "Louis XIV", "zh", "路易十四"),
    ("en", "the 18th century", "ru", "XVIII век"),
    ("en", "the nineteenth century", "de", "das 19. Jahrhundert"),
    ("en", "12 seats", "de", "zwölf Plätze"),
    ("en", "12 seats", "ru", "двенадцати мест"),
    ("en", "25 seats", "de", "fünfundzwanzig Plätze"),
    ("en", "25 seats", "es", "veinticinco plazas"),
    ("en", "120 seats", "en", "one hundred and twenty seats"),
    ("en", "90 seats", "fr", "quatre-vingt-dix places"),
    ("en", "75 seats", "fr", "soixante-quinze places"),
    ("en", "35 seats", "es", "treinta y cinco plazas"),
    ("en", "1 night", "de", "eine Nacht"),
    ("en", "1 night", "ru", "одну ночь"),
    ("en", "1 night", "es", "una noche"),
    ("en", "a book and a pen", "de", "zwei Dinge"),
    ("en", "a two-hour trip", "de", "eine 2-stündige Fahrt"),
    ("en", "a trip of 2 hours", "ru", "двухчасовая поездка"),
    ("en", "3 days", "de", "dreitägig"),
    ("en", "both houses", "zh", "2栋楼"),
    ("en", "half an hour", "zh", "30分钟"),
    ("en", "half an hour", "ru", "полчаса"),
    ("en", "open around the clock", "zh", "全天24小时开放"),
    ("en", "open around the clock", "fr", "ouvert 24 h sur 24"),
    ("en", "0 degrees", "ru", "ноль градусов"),
    # Times.
    ("en", "9:15", "de", "9.15 Uhr"),
    ("en", "09:15", "de", "9 Uhr 15"),
    ("en", "09:15", "fr", "9 h 15"),
    ("en", "09:15", "fr", "9h15"),
    ("en", "9:15 a.m.", "zh", "上午9点15分"),
    ("en", "3:30 pm", "zh", "下午3点半"),
    ("en", "15:30", "zh", "下午三点半"),
    ("en", "15:30", "es", "3:30 p. m."),
    ("en", "9 pm", "de", "21 Uhr"),
    ("en", "9 pm", "es", "a las 9 de la noche"),
    ("en", "9 pm", "ru", "в 9 вечера"),
    ("en", "9 am", "ru", "в 9 утра"),
    ("en", "9 p.m.", "fr", "9 heures du soir"),
    ("en", "12 am", "de", "0 Uhr"),
    ("en", "12:30 am", "zh", "00:30"),
    ("en", "12 pm", "de", "12:00"),
    ("en", "noon", "de", "12:00 Uhr"),
    ("en", "midnight", "ru", "24:00"),
    ("en", "midnight", "zh", "0点"),
    ("en", "at nine", "de", "um 9 Uhr"),
    ("en", "at nine o'clock", "zh", "九点"),
    ("en", "from 9 to 11 am", "zh", "上午9点至11点"),
    ("en", "from 2 to 5 pm", "zh", "下午2点到5点"),
    ("en", "from 9 to 12", "de", "von 9 bis 12 Uhr"),
    ("en", "from 08:00 to 18:00", "fr", "de 8 h à 18 h"),
    ("en", "from 8:00 to 18:00", "ru", "с 8 до 18 часов"),
    ("en", "a trip of 8 hours", "fr", "un trajet de 8 h"),
    ("en", "8 hours", "ru", "8 часов"),
    ("en", "2 hours 30 minutes", "ru", "2 часа 30 минут"),
    ("en", "until 20:00; after that nobody", "zh", "20:00之前可以，20:00之后不行"),
    ("en", "first floor: 10:10", "zh", "一楼：10:10起"),
    ("en", "from 10:10", "zh", "10：10起"),
    ("en", "a bit later", "zh", "晚一点"),
    ("en", "12 credits a week", "zh", "每周12信用点"),
    # Dates, months, weekdays.
    ("en", "15 November", "de", "15. November"),
    ("en", "November 15", "ru", "15 ноября"),
    ("en", "November 15th", "zh", "11月15日"),
    ("en", "15 Nov", "zh", "十一月十五日"),
    ("en", "1 April", "fr", "1er avril"),
    ("en", "1 April", "es", "1.º de abril"),
    ("en", "10 December 1987", "de", "10.12.1987"),
    ("en", "10 December 1987", "zh", "1987年12月10日"),
    ("en", "12/10/1987", "de", "10.12.1987"),
    ("en", "1987-12-10", "ru", "10 декабря 1987 года"),
    ("en", "13/10/1987", "zh", "1987年10月13日"),
    ("en", "from 10 to 15 January", "zh", "1月10日至15日"),
    ("en", "January 10 to 15", "de", "10. bis 15. Januar"),
    ("en", "January 10–15", "ru", "с 10 по 15 января"),
    ("en", "10 and 15 January", "es", "el 10 y el 15 de enero"),
    ("en", "from 10 January to 15 March", "fr", "du 10 janvier au 15 mars"),
    ("en", "in May", "ru", "в мае"),
    ("en", "May I go?", "de", "Darf ich gehen?"),
    ("en", "from May to July", "zh", "5月至7月"),
    ("en", "every April", "ru", "ежегодно в апреле"),
    ("en", "in March", "es", "en marzo"),
    ("en", "March on!", "fr", "En avant !"),
    ("en", "more bread", "fr", "mais du pain"),
    ("en", "Dr Marta Norlin", "ru", "доктор Марта Норлин"),
    ("en", "Tuesday", "de", "dienstags"),
    ("en", "on Tuesdays", "zh", "每周二"),
    ("en", "on Tuesdays", "ru", "по вторникам"),
    ("en", "on Wednesday", "ru", "в среду"),
    ("en", "the environment", "ru", "окружающая среда"),
    ("en", "Monday to Friday", "zh", "周一至周五"),
    ("en", "Monday, Wednesday and Friday", "zh", "周一、三、五"),
    ("en", "five times a week", "zh", "一周五次"),
    ("en", "on Saturdays and Sundays", "fr", "le week-end"),
    ("en", "Monday to Friday", "de", "werktags"),
    ("en", "Saturday evening", "de", "Sonnabendabend"),
    # Names.
    ("en", "Fill in form V-2.", "de", "Füllen Sie das V-2-Formular aus."),
    ("en", "Fill in form V-2.", "zh", "填写V-2表。"),
    ("en", "room C-214", "ru", "комната С-214"),
    ("en", "write to office@velmora.example", "zh", "写信至office@velmora.example。"),
    ("en", "see https://velmora.example/a?b=1.", "fr", "voir https://velmora.example/a?b=1."),
    ("en", "at https://velmora.example/A1.", "zh", "可在https://velmora.example/A1找到"),
    ("en", "run `ls -l 2`", "de", "`ls -l 2` ausführen"),
    ("en", "the IT desk", "zh", "信息技术服务台"),
    ("en", "230 V", "de", "230V"),
    # Words that hold a numeral.
    ("en", "just in case", "zh", "万一"),
    ("en", "tripods", "zh", "三脚架"),
    ("en", "very good", "zh", "十分好"),
]  # fmt: skip
DIFFER = [
    ("en", "20,000", "de", "20,000", ("'20,000' only in 'en'", "'20,000' only in 'de'")),
    ("en", "2.5 km", "de", "25 km", ("'2.5 km' only in 'en'", "'25 km' only in 'de'")),
    ("en", "5 km", "de", "5 m", ("'5 km' only in 'en'", "'5 m' only in 'de'")),
    ("en", "$5", "de", "5 Euro", ("'5' only in 'en'", "'5 Euro' only in 'de'")),
    ("en", "120", "zh", "一百二十五", ("'120' only in 'en'", "'一百二十五' only in 'zh'")),
    ("en", "Every 3 months", "zh", "每四个月", ("'3 months' only in 'en'",)),
    ("en", "six nights", "de", "sieben Nächte", ("'six' only in 'en'", "'sieben' only in 'de'")),
    ("en", "six nights", "zh", "七晚", ("'six' only in 'en'", "'七晚' only in 'zh'")),
    ("en", "at -5 °C", "de", "bei 5 °C", ("'-5 °C' only in 'en'", "'5 °C' only in 'de'")),
    ("en", "3 million", "de", "3 Milliarden", ("'3 million' only in 'en'", "'3 Milliarden' only in 'de'")),
    ("en", "9:15 am", "zh", "下午9点15分", ("'9:15 am' only in 'en'", "'下午9点15分' only in 'zh'")),
    ("en", "16:30", "fr", "17 h 30", ("'16:30' only in 'en'", "'17 h 30' only in 'fr'")),
    ("en", "15 November", "ru", "15 октября", ("'15 November' only in 'en'", "'15 октября' only in 'ru'")),
    ("en", "10, 15 May", "zh", "5月10日至16日", ("'10, 15 May' only in 'en'", "'5月10日至16日' only in 'zh'")),
    ("en", "10 November", "de", "11.10.", ("'10 November' only in 'en'", "'11.10.' only in 'de'")),
    ("en", "January", "zh", "2月", ("'January' only in 'en'", "'2月' only in 'zh'")),
    ("en", "on Tuesdays", "ru", "по средам", ("'Tuesdays' only in 'en'", "'средам' only in 'ru'")),
    ("en", "form V-2", "de", "Formular V-3", ("'V-2' only in 'en'", "'V-3' only in 'de'")),
    ("en", "a@b.example", "de", "a@c.example", ("'a@b.example' only in 'en'", "'a@c.example' only in 'de'")),
    ("en", "see `ls`", "de", "siehe da", ("'ls' only in 'en'",)),
    ("en", "5, 5 and 7", "de", "5, 7 und 7", ("'5' only in 'en'", "'7' only in 'de'")),
    ("en", "007", "de", "7", ("'007' only in 'en'", "'7' only in 'de'")),
]  # fmt: skip


@pytest.mark.parametrize(("lang_a", "text_a", "lang_b", "text_b"), AGREE, ids=[f"{a[1]}={a[3]}" for a in AGREE])
def test_the_same_facts_agree_in_both_directions(lang_a: str, text_a: str, lang_b: str, text_b: str) -> None:
    assert mismatch(text_a, lang_a, text_b, lang_b) == ()
    assert mismatch(text_b, lang_b, text_a, lang_a) == ()


@pytest.mark.parametrize(
    ("lang_a", "text_a", "lang_b", "text_b", "says"), DIFFER, ids=[f"{a[1]}≠{a[3]}" for a in DIFFER]
)
def test_other_facts_do_not(lang_a: str, text_a: str, lang_b: str, text_b: str, says: tuple[str, ...]) -> None:
    assert mismatch(text_a, lang_a, text_b, lang_b) == says
    assert set(mismatch(text_b, lang_b, text_a, lang_a)) == set(says)


def test_words_in_capitals_are_compared_where_they_are_names() -> None:
    assert mismatch("on VHF", "en", "per UKW", "de") == ()
    assert mismatch("on VHF", "en", "per UKW", "de", frozenset({"VHF"})) == ("'VHF' only in 'en'",)
    assert mismatch("on VHF", "en", "per VHF-Funk", "de", frozenset({"VHF"})) == ()


def test_a_language_without_number_words_is_refused() -> None:
    with pytest.raises(InputError, match="numbers of 'pl' cannot be compared"):
        mismatch("6", "en", "6", "pl")


def test_a_region_is_no_other_language() -> None:
    assert mismatch("1,450.5", "en-GB", "1’450.5", "de-CH") == ()
