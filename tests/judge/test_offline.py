from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fakes import item
from ragaliq.judge.offline import OfflineJudge
from ragaliq.text.abstention import not_found
from ragaliq.types import Answer, AnswerOutcome, Item, Verdict, VerdictOutcome

LANGS = ("en", "de", "fr", "es", "ru", "zh")
BED = item("What does a bed cost?", "A bed costs 40 credits.")
PAIRS = {
    "en": ("Where is the library?", "The library is on the first floor.", "The library is in the cellar."),
    "de": ("Wo ist die Bibliothek?", "Die Bibliothek ist im ersten Stock.", "Die Bibliothek ist im Keller."),
    "fr": ("Où est la bibliothèque ?", "La bibliothèque est au premier étage.", "La bibliothèque est à la cave."),
    "es": (
        "¿Dónde está la biblioteca?",
        "La biblioteca está en la primera planta.",
        "La biblioteca está en el sótano.",
    ),
    "ru": ("Где библиотека?", "Библиотека на втором этаже.", "Библиотека в подвале."),
    "zh": ("图书馆在哪里？", "图书馆在二楼。", "图书馆在地下室。"),
}


def judge(case: Item, text: str) -> Verdict:
    return OfflineJudge().grade(case, Answer(case.query, text, AnswerOutcome.ANSWERED, ()))


def grade(case: Item, text: str) -> int:
    verdict = judge(case, text)
    assert verdict.grade is not None
    return verdict.grade


@pytest.mark.parametrize("lang", LANGS)
def test_the_reference_gets_5_a_wrong_answer_less_and_abstaining_0(lang: str) -> None:
    question, reference, wrong = PAIRS[lang]
    case = item(question, reference, lang)
    assert grade(case, reference) == 5
    assert 1 <= grade(case, wrong) < 5
    assert grade(case, not_found(lang)) == 0
    assert grade(case, not_found("en")) == 0


@pytest.mark.parametrize("lang", LANGS)
def test_each_reference_of_the_sample_answers_its_question(lang: str, sample: Path) -> None:
    rows = [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]
    grades = [grade(item(row["text"], row["reference"], lang), row["reference"]) for row in rows if row["answerable"]]
    assert grades == [5] * 46


@pytest.mark.parametrize(
    ("answer", "recall", "precision", "expected"),
    [
        # New in the reference are `40` (weight 2) and `credit` (1); `a`, `bed` and `cost` stand in the question.
        ("A bed costs 40 credits.", 3 / 3, 3 / 3, 5),  # 2.07 + 1.97 + 1.07 = 5.11 > 4.24
        ("40", 2 / 3, 2 / 2, 5),  # 2.07 + 1.31 + 1.07 = 4.45 > 4.24
        ("40 zlotys", 2 / 3, 2 / 3, 4),  # 2.07 + 1.31 + .71 = 4.09 > 3.22
        ("40 zlotys weekly including breakfast towels", 2 / 3, 2 / 7, 4),  # 2.07 + 1.31 + .31 = 3.69 > 3.22
    ],
)
def test_new_terms_are_weighed(answer: str, recall: float, precision: float, expected: int) -> None:
    verdict = judge(BED, answer)
    assert verdict.feedback == f"recall {recall:.2f}, precision {precision:.2f}"
    assert verdict.grade == expected


@pytest.mark.parametrize(
    ("answer", "recall", "precision", "expected"),
    [
        ("A bed costs 50 credits.", 1 / 3, 1 / 3, 2),  # 2.07 + .66 + .36 - .76 = 2.33 > 2.03
        ("credits", 1 / 3, 1 / 1, 3),  # 2.07 + .66 + 1.07 - .76 = 3.04 > 2.60
        ("Towels", 0 / 3, 0 / 1, 1),  # 2.07 - .76 = 1.31
    ],
)
def test_an_answer_without_the_number_loses_points(answer: str, recall: float, precision: float, expected: int) -> None:
    verdict = judge(BED, answer)
    assert verdict.feedback == f"recall {recall:.2f}, precision {precision:.2f}, no number of the reference"
    assert verdict.grade == expected


def test_a_number_of_the_question_is_not_asked_for_again() -> None:
    case = item("Is room 12 free?", "Room 12 is free on Monday.")
    assert "no number" not in judge(case, "It is free on Monday.").feedback
    assert "no number" in judge(item("Is a room free?", "Room 12 is free."), "It is free, all 13 are.").feedback


def test_digits_of_all_widths_are_one_number() -> None:
    assert judge(item("多少钱？", "40元", "zh"), "４０元").feedback == "recall 1.00, precision 1.00"


def test_the_best_of_reference_and_aliases_counts() -> None:
    case = replace(BED, aliases=("Forty credits, breakfast included.",))
    assert grade(case, "Forty credits, breakfast included.") == 5
    assert grade(BED, "Forty credits, breakfast included.") < 5
    assert grade(case, "A bed costs 40 credits.") == 5


@pytest.mark.parametrize("answer", ["", "?!", "好", pytest.param("a" * 10_000, id="long")])
def test_any_text_is_graded(answer: str) -> None:
    verdict = judge(BED, answer)
    assert verdict.outcome is VerdictOutcome.SCORED
    assert verdict.grade == 1


def test_a_verdict_names_its_item_and_its_judge() -> None:
    verdict = judge(BED, "40 credits")
    assert (verdict.key, verdict.judge, verdict.attempts) == (("en", "q1"), "offline", 1)
    assert verdict.prompt_hash == OfflineJudge.prompt_hash
