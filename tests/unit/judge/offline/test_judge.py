from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fakes import item
from ragaliq.judge.offline.judge import EMPTY, NO_REFERENCE, ModelEstimate, OfflineJudge, load_model
from ragaliq.text.refusals import not_found
from ragaliq.types import Answer, AnswerOutcome, Item, Refusal, Verdict, VerdictOutcome

LANGS = ("en", "de", "fr", "es", "ru", "zh")
BED = item("What does a bed cost?", "A bed costs 40 credits.")
# Question, reference, the same in fewer words, a wrong answer.
CASES = {
    "en": (
        "Where is the library?",
        "The library is on the first floor.",
        "On the first floor.",
        "The library is in the cellar.",
    ),
    "de": (
        "Wo ist die Bibliothek?",
        "Die Bibliothek ist im ersten Stock.",
        "Im ersten Stock.",
        "Die Bibliothek ist im Keller.",
    ),
    "fr": (
        "Où est la bibliothèque ?",
        "La bibliothèque est au premier étage.",
        "Au premier étage.",
        "La bibliothèque est à la cave.",
    ),
    "es": (
        "¿Dónde está la biblioteca?",
        "La biblioteca está en la primera planta.",
        "En la primera planta.",
        "La biblioteca está en el sótano.",
    ),
    "ru": (
        "Где библиотека?",
        "Библиотека на втором этаже.",
        "На втором этаже.",
        "Библиотека в подвале.",
    ),
    "zh": ("图书馆在哪里？", "图书馆在二楼。", "在二楼。", "图书馆在地下室。"),
    "hi": (
        "पुस्तकालय कब खुलता है?",
        "पुस्तकालय सुबह 9 बजे खुलता है।",
        "यह सुबह 9 बजे खुलता है",
        "पुस्तकालय शाम 5 बजे खुलता है।",
    ),
    "ar": ("متى تفتح المكتبة؟", "تفتح المكتبة الساعة 9 صباحًا.", "الساعة 9 صباحًا", "تفتح المكتبة الساعة 5 مساءً."),
    "ja": (
        "図書館は何時に開きますか？",
        "図書館は午前9時に開きます。",
        "午前9時です",
        "台所は日曜日に閉まっています。",
    ),
    "yo": (
        "Nígbà wo ni ilé ìkàwé máa ń ṣí?",
        "Ilé ìkàwé máa ń ṣí ní aago mẹ́sàn-án àárọ̀.",
        "Ní aago mẹ́sàn-án àárọ̀",
        "Ilé ìdáná ti wà ní títì.",
    ),
}


def judge(case: Item, text: str) -> Verdict:
    return OfflineJudge().grade(case, Answer(case.query, text, AnswerOutcome.ANSWERED, ()))


def grade(case: Item, text: str) -> int:
    verdict = judge(case, text)
    assert verdict.grade is not None
    return verdict.grade


def test_right_answers_come_before_wrong_ones_in_languages_seen_and_unseen() -> None:
    for lang in CASES:
        question, reference, short, wrong = CASES[lang]
        case = item(question, reference, lang)
        assert grade(case, reference) == 5, lang
        assert grade(case, short) >= 4, lang
        assert 1 <= grade(case, wrong) <= 3, lang
        assert grade(case, not_found(lang)) == 0, lang
        assert grade(case, not_found("en")) == 0, lang


def test_each_reference_of_the_sample_answers_its_question(sample: Path) -> None:
    for lang in LANGS:
        rows = [json.loads(line) for line in (sample / "queries" / f"{lang}.jsonl").read_text("utf-8").splitlines()]
        answerable = [row for row in rows if row["answerable"]]
        assert len(answerable) == 148, lang
        grades = {grade(item(r["text"], r["reference"], lang), r["reference"]) for r in answerable[::6]}
        assert grades == {5}, lang


def test_a_wrong_number_is_wrong() -> None:
    cases: list[str] = ["A bed costs 50 credits.", "50", "It is 14 credits, or 41."]
    for answer in cases:
        verdict = judge(BED, answer)
        assert verdict.grade in (1, 2), answer
        assert "0% of the reference's numbers" in verdict.feedback, answer


def test_a_number_is_right_in_any_spelling() -> None:
    cases: list[str] = ["40", "forty credits", "A bed costs ４０ credits."]
    for answer in cases:
        assert grade(BED, answer) >= 4, answer


def test_a_wrong_mail_address_is_wrong() -> None:
    case = item("Whom do I write to?", "Write to kto@example.org.")
    assert grade(case, "Please write to kto@example.org.") >= 4
    assert grade(case, "Please write to help@example.org.") <= 2
    assert "not the reference's address" in judge(case, "Please write to help@example.org.").feedback


def test_yes_for_no_is_wrong() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("en", "Is the pool open?", "No, the pool is closed.", "Yes, the pool is open."),
        ("de", "Ist die Küche sonntags offen?", "Nein, die Küche ist zu.", "Ja, die Küche ist offen."),
        ("ru", "Открыт ли бассейн?", "Да, бассейн открыт.", "Нет, бассейн закрыт."),
        ("zh", "游泳池开放吗？", "是的，游泳池开放。", "不，游泳池关闭。"),
    ]
    for lang, question, reference, answer in cases:
        assert judge(item(question, reference, lang), answer).feedback.startswith("opens with yes where"), lang
        assert grade(item(question, reference, lang), answer) == 1, lang


def test_the_best_of_reference_and_aliases_counts() -> None:
    case = replace(BED, aliases=("Two ducats, breakfast included.",))
    assert grade(case, "Two ducats, breakfast included.") == 5
    assert grade(BED, "Two ducats, breakfast included.") <= 2
    assert grade(case, "A bed costs 40 credits.") == 5


def test_an_abstention_is_said_to_refuse() -> None:
    cases: list[tuple[Item, str, Refusal]] = [
        (BED, not_found("en"), Refusal.FULL),
        (BED, "A bed costs 40 credits, but I could not find what breakfast costs.", Refusal.PARTIAL),
        (BED, "40 credits.", Refusal.NONE),
        (BED, "", Refusal.NONE),
        # Without a reference there is no grade, but the answer can be read.
        (replace(BED, reference=""), not_found("en"), Refusal.FULL),
    ]
    for asked, answer, refuses in cases:
        assert judge(asked, answer).refuses is refuses, answer


def test_an_answer_without_words_gets_1() -> None:
    cases: list[str] = ["", " \n", "?!", "<|eot_id|>", "🙂"]
    for answer in cases:
        verdict = judge(BED, answer)
        assert (verdict.grade, verdict.feedback) == (1, EMPTY), answer


@pytest.mark.parametrize("answer", ["好", pytest.param("a" * 10_000, id="long"), "<EMAIL>", "What does a bed cost?"])
def test_an_answer_without_content_is_low(answer: str) -> None:
    assert grade(BED, answer) <= 2


def test_without_a_reference_there_is_no_grade() -> None:
    cases: list[str] = ["", "  ", "—", "?"]
    for reference in cases:
        verdict = judge(item("What does a bed cost?", reference), "40 credits")
        assert (verdict.grade, verdict.outcome, verdict.feedback) == (None, VerdictOutcome.REFUSED, NO_REFERENCE), (
            reference
        )
        alias = replace(item("What does a bed cost?", reference), aliases=("40 credits",))
        assert grade(alias, "40 credits") == 5, reference


def test_an_abstention_word_for_word_like_the_reference_is_an_abstention() -> None:
    case = item("What does a ticket cost?", "The handbook does not say what a ticket costs.", answerable=False)
    assert grade(case, case.reference) == 0
    assert grade(case, "A ticket costs 12 credits.") <= 3


def test_a_right_answer_with_chat_residue_stays_right() -> None:
    whole = judge(BED, "A bed costs 40 credits." + "<|eot_id|><|eot_id|>user<|eot_id|> And towels?" * 40)
    assert whole.grade in (4, 5)
    assert "chat residue" in whole.feedback


def test_a_value_on_a_cut_gets_the_higher_grade() -> None:
    model = load_model()
    first, *_, last = model.cuts
    values = (1.0, first - 0.001, first, last, 5.0)
    assert [model.decide(ModelEstimate(value, {"abstains": 0.0})) for value in values] == [
        1, 1, 2, 5, 5,
    ]  # fmt: skip
    assert model.decide(ModelEstimate(5.0, {"abstains": 1.0})) == 0


def test_the_same_answer_has_the_same_verdict() -> None:
    assert judge(BED, "40 zlotys") == judge(BED, "40 zlotys")


def test_a_verdict_names_its_item_and_its_judge() -> None:
    verdict = judge(BED, "40 credits")
    assert (verdict.key, verdict.judge, verdict.attempts) == (("en", "q1"), "offline", 1)
    assert verdict.prompt_hash == OfflineJudge.prompt_hash


def test_a_flat_denial_is_wrong() -> None:
    cases: list[tuple[str, str, str, str]] = [
        ("en", "May dogs come in?", "Dogs may come in.", "Dogs may not come in."),
        ("de", "Dürfen Hunde hinein?", "Hunde dürfen nicht hinein.", "Hunde dürfen hinein."),
        ("fr", "Et les chiens ?", "Les chiens peuvent entrer.", "Les chiens ne peuvent pas entrer."),
        ("es", "¿Y los perros?", "Los perros pueden entrar.", "Los perros no pueden entrar."),
        ("ru", "Какого цвета море?", "Море синее.", "Море не синее."),
        ("zh", "可以带狗吗？", "可以带狗。", "不可以带狗。"),
        ("ar", "ما لون البحر؟", "البحر أزرق", "البحر ليس أزرق"),
        ("hi", "समुद्र कैसा है?", "समुद्र नीला है", "समुद्र नीला नहीं है"),
    ]
    for lang, question, reference, denial in cases:
        asked = item(question, reference, lang)
        verdict = OfflineJudge().grade(asked, Answer(asked.query, denial, AnswerOutcome.ANSWERED, ()))
        assert verdict.grade == 1 and "negation" in verdict.feedback, lang


def test_a_negation_that_the_question_asks_for_is_no_denial() -> None:
    asked = item("What is not allowed?", "Dogs")
    verdict = OfflineJudge().grade(asked, Answer(asked.query, "Not dogs", AnswerOutcome.ANSWERED, ()))
    assert "negation" not in verdict.feedback


def test_signs_are_not_words() -> None:
    cases: list[tuple[str, str, int | None]] = [
        ("−5 °C", "5 °C", 2),
        ("-5 °C", "−5 °C", 5),
        ("5 €", "$5", 2),
        ("5", "5 €", 5),  # a unit left out or added contradicts nothing
        ("10²", "102", None),
        ("C++", "C", 2),
        ("10-20 m", "10 -20 m", 5),
        ("2024-01-05", "2024-01-05.", 5),
    ]
    for reference, answer, grade in cases:
        asked = item("How much?", reference)
        found = OfflineJudge().grade(asked, Answer(asked.query, answer, AnswerOutcome.ANSWERED, ())).grade
        assert found == grade if grade is not None else found is not None and found < 5, reference
