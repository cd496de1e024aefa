from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.form.structure import structure_findings
from unit.benchmark.translation.pair import pair, told

LIST = "Bring:\n- a torch,\n- warm gloves,\n- a rope."
ROWS = "| Tank | Water |\n| --- | --- |\n| Round Tank | cold |\n| Tall Tank | warm |"
DROPPED = {
    "de": "Bringen Sie mit:\n- eine Taschenlampe,\n- ein Seil.",
    "fr": "Apportez :\n- une lampe,\n- une corde.",
    "es": "Traiga:\n- una linterna,\n- una cuerda.",
    "ru": "Возьмите:\n- фонарь,\n- верёвку.",
    "zh": "请携带：\n- 手电筒，\n- 绳子。",
}


@pytest.mark.parametrize("lang", DROPPED)
def test_a_dropped_item_is_named(lang: str) -> None:
    assert told(structure_findings([pair(LIST, DROPPED[lang], f"en>{lang}")])) == [
        "structure error: list item not in the translation: 'warm gloves,'",
        "structure warning: 3 list items, 2 in the translation",
    ]


def test_a_dropped_row_and_a_lost_column_are_errors() -> None:
    target = "| Becken | Wasser |\n| --- | --- |\n| Hohes Becken | warm |"
    assert told(structure_findings([pair(ROWS, target)])) == [
        "structure error: table row not in the translation: 'Round Tank | cold'",
        "structure error: 3 table rows, 2 in the translation",
    ]
    target = "| Becken |\n| --- |\n| Rundes Becken |\n| Hohes Becken |"
    assert told(structure_findings([pair(ROWS, target)])) == [
        "structure error: table rows of 2 columns, 1 in the translation"
    ]


def test_a_list_joined_into_a_line_is_a_warning() -> None:
    target = "Bringen Sie eine Taschenlampe, warme Handschuhe, ein Seil."
    findings = told(structure_findings([pair(LIST, target)]))
    assert findings[-1] == "structure warning: 3 list items, 0 in the translation"


def test_the_same_lines_and_single_ones_are_fine() -> None:
    assert told(structure_findings([pair("a\n- b", "x\n- y"), pair("a", "b"), pair("a\nb", "")])) == []


FOUR = "Bring:\n- a torch for the tunnel,\n- warm gloves,\n- your passport,\n- a rope of 20 metres."
ITEMS = {
    "de": ("Bringen Sie mit:", "eine Taschenlampe für den Tunnel,", "warme Handschuhe,", "Ihren Reisepass,",
           "ein Seil von 20 Metern."),
    "ru": ("Возьмите:", "фонарь для тоннеля,", "тёплые перчатки,", "паспорт,", "верёвку длиной 20 метров."),
    "zh": ("请携带：", "隧道用的手电筒，", "保暖的手套，", "您的护照，", "一根20米长的绳子。"),
}  # fmt: skip
INVENTED = {
    "de": "der Direktor begrüßt neue Gäste,",
    "ru": "директор приветствует новых гостей,",
    "zh": "主任欢迎新来的客人，",
}


def listed(lang: str, *places: int) -> str:
    head, *items = ITEMS[lang]
    return "\n- ".join([head, *(items[place] for place in places)])


@pytest.mark.parametrize("lang", ITEMS)
@pytest.mark.parametrize("places", [(0, 0, 2, 3), (0, 1, 2, 3), (0, 2, 2, 3), (0, 3, 2, 3)])
def test_an_item_that_a_repeated_one_replaces_is_named(lang: str, places: tuple[int, ...]) -> None:
    lost = places != (0, 1, 2, 3)
    expected = ["structure error: list item not in the translation: 'warm gloves,'"] if lost else []
    assert told(structure_findings([pair(FOUR, listed(lang, *places), f"en>{lang}")])) == expected


@pytest.mark.parametrize("lang", ITEMS)
def test_an_item_that_an_invented_one_replaces_is_named(lang: str) -> None:
    target = listed(lang, 0, 1, 2, 3).replace(ITEMS[lang][2], INVENTED[lang])
    [finding] = told(structure_findings([pair(FOUR, target, f"en>{lang}")]))
    assert finding.endswith("list item not in the translation: 'warm gloves,'")


def test_lines_that_the_source_repeats_or_that_mean_the_same_may_be_repeated() -> None:
    source = "Replies:\n- Good morning!\n- Good morning!\n- Good day!"
    target = "Antworten:\n- Guten Morgen!\n- Guten Morgen!\n- Guten Tag!"
    assert told(structure_findings([pair(source, target)])) == []
    twice = "Replies:\n- Many thanks!\n- Thank you very much!"
    findings = told(structure_findings([pair(twice, "Antworten:\n- Vielen Dank!\n- Vielen Dank!")]))
    assert not [finding for finding in findings if "error" in finding]


@pytest.mark.parametrize("marks", ["1、 2、 3、", "（1） （2） （3）", "(1) (2) (3)", "一、 二、 三、", "1. 2. 3."])
def test_a_chinese_list_without_blanks_is_a_list(marks: str) -> None:
    items = [mark + text for mark, text in zip(marks.split(), ("手电筒，", "保暖的手套，", "绳子。"), strict=True)]
    target = "\n".join(["请携带：", *items])
    assert told(structure_findings([pair(LIST, target, "en>zh")])) == []
    assert told(structure_findings([pair(target, LIST, "zh>en")])) == []
    assert told(structure_findings([pair(LIST, target.replace(f"\n{items[1]}", ""), "en>zh")])) == [
        "structure error: list item not in the translation: 'warm gloves,'",
        "structure warning: 3 list items, 2 in the translation",
    ]


HOURS = (
    "Opening hours:\n- Monday to Friday from nine to five\n- The museum shop sells books and postcards\n"
    "- Dogs must wait outside the building"
)
UNKNOWN = {
    "hu": "Nyitvatartás:\n- Hétfőtől péntekig kilenctől ötig\n- A múzeumi bolt könyveket és képeslapokat árul\n"
    "- A kutyáknak az épületen kívül kell várniuk",
    "el": "Ώρες λειτουργίας:\n- Δευτέρα έως Παρασκευή από τις εννέα έως τις πέντε\n"
    "- Το κατάστημα του μουσείου πουλά βιβλία και κάρτες\n- Οι σκύλοι πρέπει να περιμένουν έξω από το κτίριο",
    "hi": "खुलने का समय:\n- सोमवार से शुक्रवार नौ से पाँच बजे तक\n- संग्रहालय की दुकान किताबें और पोस्टकार्ड बेचती है\n"
    "- कुत्तों को इमारत के बाहर इंतज़ार करना होगा",
}


@pytest.mark.parametrize("lang", UNKNOWN)
def test_in_a_language_that_the_encoder_does_not_know_lines_are_counted_alone(lang: str) -> None:
    sound = UNKNOWN[lang]
    assert told(structure_findings([pair(HOURS, sound, f"en>{lang}")])) == []
    assert told(structure_findings([pair(sound, HOURS, f"{lang}>en")])) == []
    assert told(structure_findings([pair(HOURS, sound.rpartition("\n")[0], f"en>{lang}")])) == [
        "structure warning: 3 list items, 2 in the translation"
    ]
    target = "| α |\n| --- |\n| β |"
    assert told(structure_findings([pair(ROWS, target, f"en>{lang}")])) == [
        "structure error: 3 table rows, 2 in the translation"
    ]
