from __future__ import annotations

from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.judge.controls.faithfulness import (
    KINDS,
    Faithfulness,
    PlantedAnswer,
    SentenceShare,
    faithfulness,
    faithfulness_json,
    planted_answers,
    planted_languages,
)
from ragaliq.text.sentences import sentences
from ragaliq.types import VerdictOutcome

BORNE_OUT = ("verbatim", "paraphrase", "reworded", "merged")


def checked(planted: PlantedAnswer, wrong: tuple[str, ...] = ()) -> Check:
    """A check that is right about every kind but `wrong`."""
    query = planted.item.query
    marks = [(kind in BORNE_OUT) != (kind in wrong) for kind in KINDS]
    found = tuple(SentenceCheck(kind, Support.SUPPORTED if ok else Support.CONTRADICTED, "d")
                  for kind, ok in zip(KINDS, marks, strict=True))  # fmt: skip
    return Check(query.query_id, query.lang, False, None, found, VerdictOutcome.SCORED, "c", "p")


def lost(planted: PlantedAnswer) -> Check:
    query = planted.item.query
    return Check(query.query_id, query.lang, None, None, (), VerdictOutcome.API_ERROR, "c", "p", error="gone")


def rates(answers: tuple[PlantedAnswer, ...], checks: list[Check]) -> dict[str, Faithfulness]:
    return {part.lang: part for part in faithfulness(answers, checks)}


def test_every_language_has_the_same_planted_sentences() -> None:
    assert set(planted_languages()) == {"de", "en", "es", "fr", "ru", "zh"}
    answers = planted_answers(planted_languages())
    by_lang = {lang: [a.item.query.query_id for a in answers if a.item.query.lang == lang] for lang in ("en", "zh")}
    assert by_lang["en"] == by_lang["zh"] and len(by_lang["en"]) == 10 and len(answers) == 60
    for planted in answers:
        parts = sentences(planted.answer.text)
        assert len(parts) == len(KINDS), planted.answer.text
        assert len(set(parts)) == len(KINDS) and any(parts[0] in hit.chunk.text for hit in planted.answer.context)
        assert len({hit.chunk.doc_id for hit in planted.answer.context}) == 5
    assert planted_answers(["tr"]) == ()


def test_shares_of_kept_and_caught_sentences() -> None:
    answers = planted_answers(["de", "en"])
    # In English reworded sentences are missed, in German none is.
    checks = [checked(a, ("reworded",) if a.item.query.lang == "en" else ()) for a in answers]
    parts = rates(answers, checks)
    assert parts["de"].balanced_accuracy == 1.0 and parts["de"].interval is not None and parts["de"].passed
    english = parts["en"]
    assert (english.kept.value, english.kept.n, english.caught.value, english.caught.n) == (30 / 40, 40, 1.0, 50)
    assert english.balanced_accuracy == (30 / 40 + 1.0) / 2 and english.right["reworded"].value == 0.0
    assert english.contradicted.value == 1.0 and english.contradicted.n == 30
    assert parts["all"].kept.value == 70 / 80 and faithfulness_json(("c", "p"), list(parts.values()))["passed"] is True


def test_a_checker_that_misses_contradictions_fails() -> None:
    answers = planted_answers(["en"])
    parts = rates(answers, [checked(a, ("number", "name", "negation")) for a in answers])
    assert parts["en"].balanced_accuracy == (1.0 + 20 / 50) / 2 and parts["en"].passed is False


def test_answers_without_findings_count_as_lost() -> None:
    answers = planted_answers(["en"])
    parts = rates(answers, [lost(a) if i < 4 else checked(a) for i, a in enumerate(answers)])
    assert (parts["en"].n, parts["en"].n_lost, parts["en"].kept.n, parts["en"].passed) == (10, 4, 24, True)
    none = rates(answers, [lost(a) for a in answers])["en"]
    assert none.passed is None and none.kept == SentenceShare(None, 0, None)
    assert faithfulness_json(("c", "p"), [none])["passed"] is None
