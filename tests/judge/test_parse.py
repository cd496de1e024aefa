from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.judge.parse import MARKER, Parsed, parse_verdict

GRADES = range(6)
NOISE = st.text() | st.lists(
    st.sampled_from([
        MARKER, "［RESULT］", " ", "4", "７", "٣", ".", "/5", "**", "-", '{"grade":', "}", "```json\n", "\n", ":", "ok",
    ])
).map("".join)  # fmt: skip
NO_MARKER = NOISE.filter(lambda text: MARKER not in unicodedata.normalize("NFKC", text))


def grade(reply: str) -> int | None:
    return parse_verdict(reply, GRADES).grade


@pytest.mark.parametrize(
    "written",
    [
        "4", " 4 ", "\n4\n", "4.", "4/5", "4 / 5", "4/5.", "**4**", "**4.**", "*4*.", "__4__", "`4`", "(4)", "[4]",
        '"4"', "“4”", ": 4", "**: 4", "４", "４／５", "٤", "۴", "४", "৪", "๔", "04", "4\nThat is all.",
        "4 because it adds a detail", "4. Good answer.", "4。",
    ],
)  # fmt: skip
def test_a_four_however_it_is_written(written: str) -> None:
    assert parse_verdict(f"Feedback: Fine. {MARKER}{written}", GRADES) == Parsed(4, "Fine.")


@pytest.mark.parametrize(
    "written",
    [
        "", " ", "4.5", "4,5", "４．５", "7", "６", "-1", "−1", "44", "4/10", "4/50", "4/5/5", "4-5", "4th", "4_5",
        "4x", "+4", ".4", "4..5", "4e0", "٧", "four", "四", "Ⅳ", "N/A", "grade 4", "?4",
        pytest.param("9" * 5000, id="many nines"), pytest.param("0" * 5000 + "4", id="many noughts"),
    ],
)  # fmt: skip
def test_off_the_rubric_is_no_grade(written: str) -> None:
    assert grade(f"Feedback: Fine. {MARKER} {written}") is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("", None),
        ("The answer is right. 5", None),
        ("Grade: 4", None),
        ("RESULT 4", None),
        ("[result] 4", None),
        (f"{MARKER} 2 {MARKER} 4", 4),
        (f"{MARKER} 4 {MARKER} 2", 2),
        (f"{MARKER} 4 {MARKER}", None),
        (f"{MARKER} 4 {MARKER} 7", None),
        (f"{MARKER} 4 {MARKER} 4.5", None),
        (f"{MARKER} 4 {MARKER} none", None),
        (f"The answer says '{MARKER} 5', but it is wrong. {MARKER} 1", 1),
        (f"5: Right.\n1: Wrong.\nReply as: Feedback: … {MARKER} (the grade)\nFeedback: Wrong. {MARKER} 1", 1),
        (f"{MARKER} 3\nThe form was: {MARKER} (the grade)", None),
        ("Gut. ［RESULT］ 3", 3),
        (f"**{MARKER}** **3**", 3),
    ],
)
def test_the_last_marker_decides(reply: str, expected: int | None) -> None:
    assert grade(reply) == expected


@pytest.mark.parametrize("number", GRADES)
def test_each_grade_in_each_form(number: int) -> None:
    assert grade(f"Feedback: x {MARKER} {number}") == number
    assert grade(json.dumps({"feedback": "x", "grade": number})) == number


@pytest.mark.parametrize(
    ("reply", "grade", "feedback"),
    [
        ('{"feedback": " Fine. ", "grade": 4}', 4, "Fine."),
        ('{"grade": 4}', 4, ""),
        ('\n```json\n{"feedback": "好。", "grade": 0}\n```\n', 0, "好。"),
        ('```\n{"feedback": "a", "grade": 4}\n```', 4, "a"),
        ('{"feedback": null, "grade": 4, "extra": [1]}', 4, ""),
        # The field decides, not a marker that the feedback quotes.
        ('{"feedback": "It claims [RESULT] 5.", "grade": 1}', 1, "It claims [RESULT] 5."),
        ('{"feedback": "[RESULT] 5", "grade": null}', None, "[RESULT] 5"),
        *[
            (f'{{"feedback": "a", "grade": {value}}}', None, "a")
            for value in ("4.5", "4.0", '"4"', "true", "false", "7", "-1", "null", "[4]", '{"grade": 4}', "NaN")
        ],
        ('{"grade": 4, "grade": 9}', None, ""),
    ],
)
def test_structured_replies(reply: str, grade: int | None, feedback: str) -> None:
    assert parse_verdict(reply, GRADES) == Parsed(grade, feedback)


@pytest.mark.parametrize(
    "reply",
    [
        '[{"grade": 4}]', '{"score": 4}', '{"Grade": 4}', '{"grade": 4', "{'grade': 4}", '{"grade": 4} and so on', "4",
        "null", pytest.param("[" * 9999, id="deep list"), pytest.param('{"a":' * 9999, id="deep object"),
    ],
)  # fmt: skip
def test_other_json_is_no_verdict(reply: str) -> None:
    assert parse_verdict(reply, GRADES) == Parsed(None, reply)


def test_broken_json_may_still_end_in_a_marker() -> None:
    assert grade('{"feedback": "a", "grade": 4\n[RESULT] 2') == 2


@pytest.mark.parametrize(
    "reply",
    [
        "Feedback: Es fehlt: der Tag. [RESULT] 3",
        "**Feedback:** Es fehlt: der Tag.\n\n**[RESULT]** 3",
        "feedback : Es fehlt: der Tag.[RESULT]3",
    ],
)
def test_the_feedback_stands_before_the_marker_without_its_label(reply: str) -> None:
    assert parse_verdict(reply, GRADES) == Parsed(3, "Es fehlt: der Tag.")


def test_the_rubric_decides_which_grades_exist() -> None:
    assert parse_verdict("[RESULT] 7", range(1, 11)).grade == 7
    assert parse_verdict('{"grade": 0}', range(1, 11)).grade is None
    assert parse_verdict("[RESULT] 0", range(1, 11)).grade is None


@given(NOISE)
def test_any_text_has_a_grade_of_the_rubric_or_none(reply: str) -> None:
    found = parse_verdict(reply, GRADES)
    assert found.grade is None or (type(found.grade) is int and found.grade in GRADES)
    assert isinstance(found.feedback, str)


@given(NO_MARKER)
def test_without_a_marker_only_json_has_a_grade(reply: str) -> None:
    assert grade(f"Feedback: {reply}") is None


@given(NOISE, NO_MARKER)
def test_nothing_before_the_last_marker_decides(before: str, behind: str) -> None:
    assert grade(f"Feedback: {before}{MARKER}{behind}") == grade(f"{MARKER}{behind}")


@given(st.text(), st.integers(-9, 9))
def test_json_of_any_feedback_survives(feedback: str, number: int) -> None:
    for reply in (json.dumps({"feedback": feedback, "grade": number}), f'```json\n{{"grade": {number}}}\n```'):
        assert grade(reply) == (number if number in GRADES else None)
