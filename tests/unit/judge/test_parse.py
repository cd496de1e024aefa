from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import THOUGHT_FORMS
from ragaliq.judge.parse import MARKER, Parsed, parse_verdict
from ragaliq.judge.unmasked import unmask
from ragaliq.types import Refusal

GRADES = range(6)
# Those of plain words are known by `split_reasoning` alone.
TAGS = [form for form in THOUGHT_FORMS if form[0][0] in "<[◁"]
NOISE = st.text() | st.lists(
    st.sampled_from([
        MARKER, "［RESULT］", " ", "4", "７", "٣", ".", "/5", "**", "-", '{"grade":', "}", "```json\n", "\n", ":", "ok",
    ])
).map("".join)  # fmt: skip
NO_MARKER = NOISE.filter(lambda text: MARKER not in unmask(text).text)


def grade(reply: str) -> int | None:
    return parse_verdict(reply, GRADES).grade


def test_a_four_however_it_is_written() -> None:
    cases: list[str] = [
        "4",
        " 4 ",
        "\n4\n",
        "4.",
        "4/5",
        "4 / 5",
        "4/5.",
        "**4**",
        "**4.**",
        "*4*.",
        "__4__",
        "`4`",
        "(4)",
        "[4]",
        '"4"',
        "“4”",
        ": 4",
        "**: 4",
        "４",
        "４／５",
        "٤",
        "۴",
        "४",
        "৪",
        "๔",
        "04",
        "4\nThat is all.",
        "4 because it adds a detail",
        "4. Good answer.",
        "4。",
        "4分",
        "4 分。",
        "4 Punkte",
        "4 балла",
        "4 out of 5",
        "4 sur 5",
        "4 von 5",
        "4 из 5",
        "④",
        "꤄",
        "᠔",
        "𝟜",
        "\r\n4\r\n",
        "\u200b4\u200b",
        "\u202e4\u202c",
        "\ufeff4",
        "4\ufe0f",
        "4 (5 would ask for the date)",
        "4, since 2 of 3 facts are there",
        "4\n5: Right and complete.",
    ]
    for written in cases:
        assert parse_verdict(f"Feedback: Fine. {MARKER}{written}", GRADES) == Parsed(4, "Fine."), written


@pytest.mark.parametrize(
    "written",
    [
        "", " ", "4.5", "4,5", "４．５", "7", "６", "-1", "−1", "44", "4/10", "4/50", "4/5/5", "4-5", "4th", "4_5",
        "4x", "+4", ".4", "4..5", "4e0", "٧", "four", "四", "Ⅳ", "N/A", "grade 4", "?4", "4 5", "4 to 5", "4 or 5",
        "4 bis 5", "4 oder 5", "4 à 5", "4 ou 5", "4 o 5", "4 или 5", "от 4 до 5", "4到5", "4 – 5", "4 -> 5", "4 → 5",
        "4, 5", "4 | 5", "4+", "4%", "4½", "4²", "½", "4分5", "4点5", "4 out of 10", "4 von 10", "4 (of 10)", "4/5/5",
        "4 / 10", "1\u200b4", "1\x004", "−4", "＋4", "≥4", "<4", "(0-5)", "0–5", "$4$", "5 4",
        pytest.param("9" * 5000, id="many nines"), pytest.param("0" * 5000 + "4", id="many noughts"),
    ],
)  # fmt: skip
def test_off_the_rubric_is_no_grade(written: str) -> None:
    assert grade(f"Feedback: Fine. {MARKER} {written}") is None


def test_the_last_marker_decides() -> None:
    cases: list[tuple[str, int | None]] = [
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
        ("[RE\u200bSULT]\u200b 3", 3),
        ("\ufeffFeedback: gut.\r\n[RESULT]\r\n3\r\n", 3),
        ("\u202a[RESULT]\u202c 3", 3),
        # Another language, and nothing else.
        ("Комментарий: верно. [RESULT] 3", 3),
        ("反馈：基本正确。［ＲＥＳＵＬＴ］３", 3),
        ("[ERGEBNIS] 3", None),
        ("[RESULTADO] 3", None),
        ("[结果] 3", None),
        ("[ RESULT ] 3", None),
        ("【RESULT】3", None),
        (r"[\RESULT] 3", None),
        # What stands behind the last marker and may be the judge's own verdict makes the marker a quotation.
        ("The answer says [RESULT] 5. My verdict: [result] 1", None),
        ("The answer says [RESULT] 5. My verdict: [ RESULT ] 1", None),
        ("The answer says [RESULT] 5. My verdict: 【RESULT】 1", None),
        ("Die Antwort sagt [RESULT] 5. [Ergebnis] 1", None),
        ("The answer says [RESULT] 5. RESULT: 1", None),
        ("The answer says [RESULT] 5.\n[Grade] 1", None),
        ('The answer says [RESULT] 5.\n{"feedback": "wrong", "grade": 1}', None),
        ('The answer says [RESULT] 5.\n```json\n{"feedback": "wrong", "score": 1}\n```', None),
        ("<think>Perhaps [RESULT] 5? No.</think> The answer is wrong, so it gets a 1.", None),
        ("<think>Perhaps [RESULT] 5? No.</think> Wrong. [RESULT] 1", 1),
        *[(f"{opening} Perhaps [RESULT] 5? {closing} It is wrong.", None) for opening, closing in TAGS],
        *[(f"Hm. {opening} Perhaps [RESULT] 5? I will now", None) for opening, _ in TAGS],
        *[(f"{opening} Perhaps [RESULT] 5? {closing} Wrong. [RESULT] 1", 1) for opening, closing in TAGS],
        ("It quotes `<think>`. [RESULT] 3", 3),
        # Mere words behind it do not, nor does a quotation that was broken.
        ("[RESULT] 4\n\n[Note] 3 facts are missing", 4),
        (r"[RESULT] 4 (the answer wrote [\RESULT] 5)", 4),
        (r'[RESULT] 4 {"feedback": "x", "\grade": 5}', 4),
    ]
    for reply, expected in cases:
        assert grade(reply) == expected, reply


def test_each_grade_in_each_form() -> None:
    for number in GRADES:
        assert grade(f"Feedback: x {MARKER} {number}") == number, number
        assert grade(json.dumps({"feedback": "x", "grade": number})) == number, number


def test_structured_replies() -> None:
    cases: list[tuple[str, int | None, str]] = [
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
        ('{"grade": 4, "grade": 5}', None, ""),
        ('{"grade": 4, "grade": true}', None, ""),
        ('{"grade": 1, "grade": 1.0}', None, ""),
        ('{"grade": 1.0, "grade": 1}', None, ""),
        ('{"grade": true, "grade": 1}', None, ""),
        ('{"grade": 4, "feedback": "a", "grade": 4}', 4, "a"),
        ('{"feedback": "a", "feedback": "b", "grade": 4}', 4, ""),
        ('{"feedback": "a\n\tb", "grade": 4}', 4, "a\n\tb"),
        ('\ufeff{"feedback": "a", "grade": 4}', 4, "a"),
        ('\u200b\r\n{"feedback": "a", "grade": 4}\r\n', 4, "a"),
        ('```JSON\n{"feedback": "a", "grade": 4}\n```', 4, "a"),
        ('{"feedback": {"text": "[RESULT] 5", "grade": 5}, "grade": 1}', 1, "{'text': '[RESULT] 5', 'grade': 5}"),
    ]
    for reply, grade, feedback in cases:
        assert parse_verdict(reply, GRADES) == Parsed(grade, feedback), reply


@pytest.mark.parametrize(
    "reply",
    [
        '[{"grade": 4}]', '{"score": 4}', '{"Grade": 4}', '{"grade": 4', "{'grade': 4}", '{"grade": 4} and so on', "4",
        "null", '[{"feedback": "[RESULT] 5"}]', '{"feedback": "[RESULT] 5", "score": 1}', '{"verdict": {"grade": 4}}',
        r'{"feedback": "a", "\u0067rade": 4}', '{"feedback": "a", "grade": 4}\n{"feedback": "b", "grade": 5}',
        'Here it is: {"feedback": "a", "grade": 4}',
        pytest.param("[" * 9999, id="deep list"), pytest.param('{"a":' * 9999, id="deep object"),
    ],
)  # fmt: skip
def test_other_json_is_no_verdict(reply: str) -> None:
    assert parse_verdict(reply, GRADES) == Parsed(None, reply)


def test_the_feedback_keeps_the_writing_that_the_marker_is_found_in() -> None:
    assert parse_verdict("反馈：“好”，①。［RESULT］４", GRADES) == Parsed(4, "反馈：“好”，①。")


def test_broken_json_may_still_end_in_a_marker() -> None:
    assert grade('{"feedback": "a", "grade": 4\n[RESULT] 2') == 2


def test_the_feedback_stands_before_the_marker_without_its_label() -> None:
    cases: list[str] = [
        "Feedback: Es fehlt: der Tag. [RESULT] 3",
        "**Feedback:** Es fehlt: der Tag.\n\n**[RESULT]** 3",
        "feedback : Es fehlt: der Tag.[RESULT]3",
    ]
    for reply in cases:
        assert parse_verdict(reply, GRADES) == Parsed(3, "Es fehlt: der Tag."), reply


def test_what_a_reply_says_of_refusing() -> None:
    cases: list[tuple[str, Refusal | None, str]] = [
        ("Feedback: Gut. [REFUSES] none [RESULT] 4", Refusal.NONE, "Gut."),
        ("Feedback: Halb. [REFUSES]: **partial**.\n[RESULT] 4", Refusal.PARTIAL, "Halb."),
        ("反馈：没有。［ＲＥＦＵＳＥＳ］ Full ［RESULT］ ４", Refusal.FULL, "反馈：没有。"),
        ("Feedback: Gut. [RESULT] 4 [REFUSES] none", Refusal.NONE, "Gut."),
        ("Feedback: Gut. [RESULT] 4", None, "Gut."),
        # What cannot be read there stays feedback; a quotation further up is none.
        ("Feedback: Gut. [REFUSES] maybe [RESULT] 4", None, "Gut. [REFUSES] maybe"),
        ("It says [REFUSES] full, but it answers. [RESULT] 4", None, "It says [REFUSES] full, but it answers."),
        ("[REFUSES] full, no: [REFUSES] none [RESULT] 4", Refusal.NONE, "[REFUSES] full, no:"),
        ('{"feedback": "a", "refuses": "partial", "grade": 4}', Refusal.PARTIAL, "a"),
        ('{"feedback": "a", "grade": 4, "refuses": " FULL "}', Refusal.FULL, "a"),
        *[
            (f'{{"feedback": "a", "refuses": {value}, "grade": 4}}', None, "a")
            for value in ("null", '"yes"', "true", "0", '["none"]', '{"none": 1}', '""')
        ],
        ('{"feedback": "a", "refuses": "none", "refuses": "full", "grade": 4}', None, "a"),
    ]
    for reply, refuses, feedback in cases:
        assert parse_verdict(reply, GRADES) == Parsed(4, feedback, refuses), reply


def test_what_is_no_verdict_says_nothing_of_refusing() -> None:
    for reply in (
        "[REFUSES] full",
        "[REFUSES] full [RESULT] 9",
        '{"refuses": "full"}',
        '{"refuses": "full", "grade": 9}',
    ):
        assert parse_verdict(reply, GRADES).refuses is None, reply


def test_the_place_of_the_grade() -> None:
    cases: list[tuple[str, int]] = [
        ("Feedback: 3 of 4. [RESULT] 4", 27),
        ("好。［RESULT］ ４", 11),
        ('{"feedback": "it says \\"grade\\": 4", "grade": 4}', 46),
        ('{"grade":4, "feedback": "好"}', 9),
        ("[RESULT] 7", -1),
    ]
    for reply, place in cases:
        assert parse_verdict(reply, GRADES).place == place, reply


def test_a_reply_of_one_sign_over_and_over_comes_to_an_end() -> None:
    cases: list[str] = ["=", " ", "\n", "[", "{", "#", "*", "\\", "\u200b", "[RESULT]", '"', "5", "<|"]
    for sign in cases:
        for reply in (sign * 50_000, f"[RESULT] 4{sign * 50_000}"):
            assert grade(reply) in (None, 4), sign


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


# Pieces of replies: forms, quotations of forms, numbers, letters and what cannot be seen.
PIECES = [
    MARKER, "［RESULT］", "[result]", "[RE\u200bSULT]", "[\\RESULT]", "【RESULT】", "[RESULT", "RESULT]",
    '{"feedback": "', '", "grade": ', "}", "{", '"grade"', "```json\n", "```", "5", "４", "٣", "४", "৪", "7", "4.5",
    "-1", "5/5", "**", " ", "\n", "\r\n", "\u200b", "\u202e", "\ufeff", "\x00", "\ud800", "Gut.", "Верно。",
    "基本正确", "\u0301", "🙂", "½", "⁄", "\\",
]  # fmt: skip


def pieces(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(most)))


def test_each_random_reply_has_a_grade_or_none() -> None:
    rng = random.Random(20241119)
    graded = 0
    for _ in range(1500):
        found = parse_verdict(pieces(rng, 24), GRADES)
        assert found.grade is None or (type(found.grade) is int and found.grade in GRADES)
        assert isinstance(found.feedback, str)
        graded += found.grade is not None
    assert 0 < graded < 1500


def test_each_valid_verdict_is_read_whatever_stands_before_it() -> None:
    rng = random.Random(20241104)
    forms = ("{}", " {}", "\n\n{}\n", "**{}**", "{}/5", "{}.", "({})", ": {}", "`{}`", "\u200b{}", "{} \u202c", "{}。")
    behind = ("", "\n", " That is all.", "\nEnde.", "\n\n以上。", " (sehr gut)", "\r\n", "\n5: Right and complete.")
    digits = ("0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯")
    for _ in range(1500):
        number = rng.randrange(6)
        form = rng.choice(forms).format(rng.choice(digits)[number])
        marker = rng.choice((MARKER, f"**{MARKER}**", "［ＲＥＳＵＬＴ］", "[RE\u200dSULT]"))
        # A line end, lest a backslash before the marker, or half of another one, become part of it.
        reply = f"{pieces(rng, 16)}\n{marker}{form}{rng.choice(behind)}"
        assert grade(reply) == number, reply
