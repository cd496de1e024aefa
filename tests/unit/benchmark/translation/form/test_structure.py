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
