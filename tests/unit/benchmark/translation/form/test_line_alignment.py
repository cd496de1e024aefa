from __future__ import annotations

from ragaliq.benchmark.translation.form.line_alignment import absent_lines
from ragaliq.benchmark.translation.form.lines import lines_of

SOURCE = lines_of(
    "You need:\n- a valid passport,\n- a medical certificate,\n- form V-2,\n- the emergency contact card."
)


def test_the_line_that_is_not_there_is_found_by_meaning() -> None:
    target = lines_of("Sie brauchen:\n- einen gültigen Reisepass,\n- Formular V-2,\n- die Notfallkontaktkarte.")
    assert absent_lines(SOURCE, target) == [2]


def test_an_item_joined_to_the_line_before_is_there() -> None:
    target = lines_of("您需要：* 有效护照* 体检证明* V-2表\n- 紧急联系卡。")
    assert absent_lines(SOURCE, target) == []


def test_without_a_line_all_are_absent() -> None:
    assert absent_lines(SOURCE, []) == [0, 1, 2, 3, 4]
    assert absent_lines([], SOURCE) == []
