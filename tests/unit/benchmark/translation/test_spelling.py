"""Names spelled in other letters."""

from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.spelling import spells, transliterated


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("solvann", "solvanne"),
        ("бранник", "brannick"),
        ("тарнхольт", "tarnholt"),
        ("грет сольванн", "greta solvanne"),
        ("达格娜", "dagna"),
        ("托拉韦", "toravay"),
        ("赫尔姆斯特兰德", "helmstrand"),
    ],
)
def test_a_name_is_spelled(unit: str, name: str) -> None:
    assert spells(unit, name)


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("tarnholt", "brannick"),
        ("дом", "house"),
        ("lab", "lab"),  # Too short to tell.
        ("greta", "greta solvanne"),
        ("科丽娜", "dagna"),
        ("测绘馆", "survey"),
        ("达格娜", "东京"),
        ("ь", "brannick"),
    ],
)
def test_another_word_does_not_spell_it(unit: str, name: str) -> None:
    assert not spells(unit, name)


def test_runs_of_foreign_names_end_at_other_characters() -> None:
    assert list(transliterated("运输主管卡雷尔·温托普签发")) == ["卡雷尔", "温托普"]
