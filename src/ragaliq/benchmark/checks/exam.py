"""Checking the judge exam of a benchmark, `exam/LANG.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ragaliq.benchmark.checks.parity import ParallelText, TextsOf, fact_differences, shared_names
from ragaliq.benchmark.exam import exam_kind
from ragaliq.benchmark.located import Located, LocatedRows, read_located
from ragaliq.errors import nearest
from ragaliq.text.language import in_language
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
    read: list[tuple[str, dict[str, Located[ExamAnswer]]]] = []
    for language in languages:
        findings: list[str] = []
        items = {query_id: located.record for query_id, located in language.items.items()}
        answers = read_located(folder, language.lang, exam_kind(items), findings)
        yield from findings
        yield from _texts(language.lang, answers)
        read.append((language.lang, answers))
    first = _facts(read[0])
    for place in range(1, len(read)) if parallel else []:
        yield from _compared(read[0], read[place])
        terms = shared_names(languages[0], languages[place])
        yield from fact_differences(first, _facts(read[place]), terms)


def _texts(lang: str, answers: dict[str, Located[ExamAnswer]]) -> Iterator[str]:
    for exam_id, located in answers.items():
        answer, where = located.record, located.where
        if answer.kind not in KINDS:
            yield f"{where}: 'kind' of '{exam_id}' is '{answer.kind}'; {nearest(answer.kind, KINDS)}"
        if not answer.text.strip():
            yield f"{where}: 'answer' of '{exam_id}' is blank"
        told = in_language(answer.text, lang)
        if answer.kind == _WRONG_LANGUAGE and told is True:
            yield f"{where}: 'answer' of '{exam_id}' is to be in a language other than '{lang}'"
        elif answer.kind != _WRONG_LANGUAGE and told is False:
            yield f"{where}: 'answer' does not look like '{lang}': {answer.text[:60]!r}"


def _compared(
    one: tuple[str, dict[str, Located[ExamAnswer]]], two: tuple[str, dict[str, Located[ExamAnswer]]]
) -> Iterator[str]:
    for (_, here), (lang, there) in ((one, two), (two, one)):
        for exam_id in sorted(here.keys() - there.keys()):
            yield f"{here[exam_id].where}: exam answer '{exam_id}' is missing in '{lang}'"
    for exam_id in sorted(one[1].keys() & two[1].keys()):
        if _grading(one[1][exam_id].record) != _grading(two[1][exam_id].record):
            yield f"{two[1][exam_id].where}: exam answer '{exam_id}' differs from '{one[0]}' in more than its text"


def _facts(read: tuple[str, dict[str, Located[ExamAnswer]]]) -> TextsOf:
    lang, answers = read
    texts = {
        ("exam", exam_id): ParallelText(located.where, f"exam answer '{exam_id}'", located.record.text)
        for exam_id, located in answers.items()
        if located.record.kind != _WRONG_LANGUAGE
    }
    return TextsOf(lang, texts)


def _grading(answer: ExamAnswer) -> tuple[str, str, int, int]:
    return answer.item.query.query_id, answer.kind, answer.least, answer.most
