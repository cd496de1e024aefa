from __future__ import annotations

from ragaliq.judge.checks.names import name_pairs, names


def test_names_by_capital_and_by_characters() -> None:
    cases = {
        "The tower of Lindmoor is red.": ["The", "Lindmoor"],
        "马里奥·费雷拉在伯尔尼和里斯本工作过。": ["马里奥·费雷拉", "伯尔尼", "里斯本"],
        "塔高四十六米，特别适合夏天参观，多图书，里面有森林。": [],
    }
    for text, expected in cases.items():
        assert names(text) == expected, text


def test_pairs_of_each_part_of_a_name() -> None:
    assert name_pairs("罗莎·阿尔梅") == [["罗莎"], ["阿尔", "尔梅"]]
