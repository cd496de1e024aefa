"""One row of somebody's answers: what judge and checker get of it, and the columns that its grading adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.aggregate.grades.graded_answers import NO_CONTEXTS
from ragaliq.errors import InputError
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.formats.answers.columns import Columns, value_at
from ragaliq.formats.answers.values import contexts_of, text_of, texts_of
from ragaliq.formats.grades.rows import NO_QUESTION, NO_REFERENCE
from ragaliq.judge.checks.support import Check, Support
from ragaliq.pipeline.answer_files.graders import ADDED, RowGraders
from ragaliq.pipeline.check import check_on
from ragaliq.pipeline.grade import verdict_on
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.files import Row
from ragaliq.text.language import identify, languages_of
from ragaliq.text.language_names import language_code
from ragaliq.text.refusals import refusal
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, Verdict, VerdictOutcome

_LABELS = {Support.NOT: "unsupported"}


@dataclass(frozen=True, slots=True)
class RowToGrade:
    """A row, and what is asked about it.

    Attributes:
        row: all that the row holds, and its language as `lang`.
        answered: what judge and checker get.
        ungraded: why no judge is asked; empty if one is.
        in_context: whether the contexts are known that the answer was made from.
    """

    row: Row
    answered: RunAnswer
    ungraded: str
    in_context: bool


def rows_to_grade(rows: Sequence[tuple[str, Row]], columns: Columns) -> tuple[RowToGrade, ...]:
    """Return what is asked about rows, each with its place.

    A row without a language is in the likeliest one, by its question and reference. `aliases`, a list of texts, and the
    other texts of a list of references, are references as good to the offline judge; a model is shown the first alone.

    Raises:
        InputError: if a cell holds what it cannot, a language is not known, or a column would be replaced.
    """
    read = [_texts(row, columns, where) for where, row in rows]
    langs = [_lang(row, columns, where) for where, row in rows]
    blank = [place for place, lang in enumerate(langs) if not lang]
    told = languages_of([" ".join([read[place][0], *read[place][2][:1]]) for place in blank])
    for place, lang in zip(blank, told, strict=True):
        langs[place] = lang
    return tuple(
        _row_to_grade(number, {**row, "lang": lang}, texts, columns)
        for number, ((_, row), texts, lang) in enumerate(zip(rows, read, langs, strict=True), start=1)
    )


async def graded_columns(asked: RowToGrade, graders: RowGraders, thread: SerialThread) -> Row:
    """Return the columns that the grading of a row adds."""
    columns: Row = {**graders.identity}
    refuses = None
    if graders.judge is not None:
        columns |= {"grade": None, "outcome": asked.ungraded, "feedback": ""}
        if not asked.ungraded:
            verdict = await verdict_on(asked.answered, graders.judge, thread)
            refuses, columns = verdict.refuses, {**columns, **_verdict_columns(verdict)}
    if graders.checker is not None:
        columns |= {"supported_share": None, "support": None, "check_outcome": NO_CONTEXTS}
        if asked.in_context:
            check = await check_on(asked.answered, graders.checker, thread)
            columns |= _check_columns(check, asked.answered.answer.context)
    answer = asked.answered.answer
    columns["refuses"] = str(refuses or await thread.call(refusal, answer.text, answer.query.lang))
    return {name: columns[name] for name in graders.added}


def _verdict_columns(verdict: Verdict) -> Row:
    return {"grade": verdict.grade, "outcome": str(verdict.outcome), "feedback": verdict.feedback}


def _check_columns(check: Check, context: Sequence[Hit]) -> Row:
    """Return what a check says of the sentences that state something; the share is None where none does."""
    places = {hit.chunk.doc_id: hit.rank - 1 for hit in context}
    support = [
        {"text": one.text, "label": _LABELS.get(one.support, str(one.support)), "context": places.get(one.doc_id or "")}
        for one in check.sentences
        if one.support is not None
    ]
    supported = sum(one["label"] == Support.SUPPORTED for one in support)
    return {
        "supported_share": supported / len(support) if support else None,
        "support": support if check.outcome is VerdictOutcome.SCORED else None,
        "check_outcome": str(check.outcome),
    }


_Texts = tuple[str, str, tuple[str, ...], tuple[str, ...] | None]


def _texts(row: Row, columns: Columns, where: str) -> _Texts:
    """Return question, answer, references and contexts of a row."""
    written = (*ADDED, "lang") if columns.lang != "lang" else ADDED
    taken = [name for name in written if name in row]
    if taken:
        raise InputError(f"{where}: has a column '{taken[0]}' already, which the grading writes; rename it")
    aliases = row.get("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise InputError(f"{where}: 'aliases' must be a list of texts; fix it")
    references = texts_of(value_at(row, columns.reference), columns.reference, where)
    return (
        text_of(value_at(row, columns.question), columns.question, where),
        text_of(value_at(row, columns.answer), columns.answer, where),
        (*references, *texts_of(aliases, "aliases", where)) if references else (),
        contexts_of(value_at(row, columns.contexts), columns.contexts, where),
    )


def _lang(row: Row, columns: Columns, where: str) -> str:
    name = text_of(value_at(row, columns.lang), columns.lang, where)
    code = language_code(name)
    if code is None:
        raise InputError(f"{where}: '{columns.lang}' is no language: {name!r}; write a code such as de, or nothing")
    return code


def _row_to_grade(number: int, row: Row, texts: _Texts, columns: Columns) -> RowToGrade:
    question, text, references, contexts = texts
    query = Query(f"row {number}", row["lang"], question)
    spoken = identify(" ".join(contexts or ()), [query.lang]) or query.lang
    hits = tuple(
        Hit(Chunk(str(place), spoken, context, "", 0, len(context)), 0.0, place + 1)
        for place, context in enumerate(contexts or ())
    )
    outcome = AnswerOutcome.ANSWERED if text.strip() else AnswerOutcome.EMPTY
    item = Item(query, references[0] if references else "", aliases=references[1:])
    ungraded = NO_REFERENCE if not references else "" if question.strip() else NO_QUESTION
    in_context = bool(columns.contexts) and contexts is not None
    return RowToGrade(row, RunAnswer(item, Answer(query, text, outcome, hits)), ungraded, in_context)
