from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.read.statements import statements

LINES = st.sampled_from(
    [
        "- one",
        "2) two",
        "Bring:",
        "Text. More",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "# Head",
        "",
        "- ",
        "带上：",
        "||",
    ]
)


def test_sentences_of_running_text() -> None:
    assert statements("The boat leaves.\nIt is red. It is old.") == ["The boat leaves.", "It is red.", "It is old."]
    assert statements("船走了。它是红的。") == ["船走了。", "它是红的。"]


def test_a_row_carries_its_heads() -> None:
    table = "| Day | Boat | Fee |\n|:---|---:|---|\n| Monday | red | 5 |\n| Friday |  | 7 | extra |"
    assert statements(table) == ["Day: Monday; Boat: red; Fee: 5", "Day: Friday; Fee: 7; extra"]


def test_each_table_has_its_own_heads() -> None:
    assert statements("| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |") == ["a: 1", "b: 2"]


def test_a_list_stands_whole_and_item_by_item() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("Bring:\n- boots\n- rope.", ["Bring: boots; rope.", "boots", "rope."]),
        ("Bring:\n* boots,\n+ rope\n• salt", ["Bring: boots, rope; salt", "boots,", "rope", "salt"]),
        ("It is cold. **Bring:**\n1. boots\n2) rope", ["It is cold.", "**Bring:** boots; rope", "boots", "rope"]),
        ("带上：\n- 靴子。\n- 绳子", ["带上： 靴子。 绳子", "靴子。", "绳子"]),
        ("- boots\n- rope", ["boots", "rope"]),
        ("Bring:\n- boots\nThen go.", ["Bring: boots", "boots", "Then go."]),
        ("Bring:\nThen go.", ["Bring:", "Then go."]),
        ("Bring:\n- \n- boots", ["Bring: boots", "boots"]),
        ("A:\n- b\nC:\n- d", ["A: b", "b", "C: d", "d"]),
    ]
    for text, expected in cases:
        assert statements(text) == expected, text


def test_headings_are_left_out_unless_there_is_nothing_else() -> None:
    assert statements("## The boat\nIt is red.") == ["It is red."]
    assert statements("## The boat") == ["## The boat"]
    assert statements("#1 is a number") == ["#1 is a number"]


def test_nothing_states_nothing() -> None:
    cases: list[str] = ["", "\n \n", "- "]
    for text in cases:
        assert statements(text) == [], text


@given(st.lists(LINES, max_size=8).map("\n".join) | st.text())
def test_no_statement_is_empty_or_longer_than_a_line_or_list(text: str) -> None:
    assert all(found.strip() for found in statements(text))


@given(st.lists(st.sampled_from(["one. Two", "Bring:", "- boots", "3. rope"]), min_size=1, max_size=6))
def test_no_word_of_text_and_lists_is_lost(lines: list[str]) -> None:
    found = " ".join(statements("\n".join(lines)))
    words = [word for line in lines for word in line.removeprefix("- ").removeprefix("3. ").split()]
    assert [word for word in words if word.rstrip(";") not in found] == []
