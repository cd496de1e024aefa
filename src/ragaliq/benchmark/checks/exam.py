"""Checking the judge exam of a benchmark, `exam/LANG.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ragaliq.benchmark.checks.parity import (
    ParallelText,
    TextsOf,
    fact_differences,
    record_differences,
    shared_names,
)
from ragaliq.benchmark.exam import exam_kind
from ragaliq.benchmark.located import Located, LocatedRows, read_located
from ragaliq.errors import nearest
from ragaliq.text.language import in_language, is_foreign
from ragaliq.types import ExamAnswer

# What an answer was written to be.
KINDS = (
    "paraphrase", "extras", "incomplete", "contradicting", "near_miss", "other", "abstention",
    "wrong_language",
)  # fmt: skip
_WRONG_LANGUAGE = "wrong_language"


def exam_findings(folder: Path, languages: Sequence[LocatedRows], parallel: bool = True) -> Iterator[str]:
    """Yield what is wrong with an exam; a benchmark need not have one.

    Checked: every row's form, its query, its kind, ids unique; the language of each answer, which for the kind
    `wrong_language` must be another; and, where the languages are translations of each other, that all of them have the
    same answers with the same query, kind and grades, and that these state the same numbers, times, dates and names.
    """
    if not (folder / "exam").is_dir():
        return
    exams: list[dict[str, Located[ExamAnswer]]] = []
    for language in languages:
        findings: list[str] = []
        items = {query_id: item for query_id, (item, _) in language.items.items()}
        exams.append(read_located(folder, language.lang, exam_kind(items), findings))
        yield from findings
        yield from _texts(language.lang, exams[-1])
    for place in range(1, len(exams)) if parallel else ():
        one, two = languages[0], languages[place]
        answers = (exams[0], exams[place])
        yield from record_differences("exam answer", (one.lang, two.lang), answers, _grading)
        yield from fact_differences(_facts(one.lang, exams[0]), _facts(two.lang, exams[place]), shared_names(one, two))


def _texts(lang: str, answers: dict[str, Located[ExamAnswer]]) -> Iterator[str]:
    for exam_id, (answer, where) in answers.items():
        if answer.kind not in KINDS:
            yield f"{where}: 'kind' of '{exam_id}' is '{answer.kind}'; {nearest(answer.kind, KINDS)}"
        if not answer.text.strip():
            yield f"{where}: 'answer' of '{exam_id}' is blank"
        if answer.kind == _WRONG_LANGUAGE and in_language(answer.text, lang) is True:
            yield f"{where}: 'answer' of '{exam_id}' is to be in a language other than '{lang}'"
        elif answer.kind != _WRONG_LANGUAGE and is_foreign(answer.text, lang):
            yield f"{where}: 'answer' does not look like '{lang}': {answer.text[:60]!r}"


def _facts(lang: str, answers: dict[str, Located[ExamAnswer]]) -> TextsOf:
    texts = {
        ("exam", exam_id): ParallelText(where, f"exam answer '{exam_id}'", answer.text)
        for exam_id, (answer, where) in answers.items()
        if answer.kind != _WRONG_LANGUAGE
    }
    return TextsOf(lang, texts)


def _grading(answer: ExamAnswer) -> object:
    return answer.item.query.query_id, answer.kind, answer.least, answer.most
