"""What people asked about the same documents: CSV, TSV or JSON Lines, with what is relevant to each question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.build.validity.locate import DocumentFinder
from ragaliq.build.validity.question_rows import question_rows
from ragaliq.errors import InputError
from ragaliq.formats.reading.fields import row_text
from ragaliq.storage.files import Row
from ragaliq.text.language import likeliest
from ragaliq.types import Chunk

# An answer in more documents than this identifies none of them.
MOST_HOLDING = 5
_WAYS = ("doc_ids", "quote", "answer")


@dataclass(frozen=True, slots=True)
class HumanQuestion:
    """A question of a person, and the documents that are relevant to it.

    Attributes:
        question_id: from the file, else `h` and its line.
        lang: its language.
        text: the question.
        doc_ids: what is relevant, at least one document.
        type: the kind of question, if the file names it.
    """

    question_id: str
    lang: str
    text: str
    doc_ids: tuple[str, ...]
    type: str = ""


@dataclass(frozen=True, slots=True)
class UnusedQuestion:
    """A question that cannot be used: the line it is on, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class HumanFile:
    """The questions of a file that can be used, in its order, and the others."""

    questions: tuple[HumanQuestion, ...]
    unused: tuple[UnusedQuestion, ...]


def read_human_questions(path: Path, chunks: Mapping[str, Sequence[Chunk]]) -> HumanFile:
    """Read questions of people, and find the documents that answer them.

    A row has `question`, and one of `doc_ids` (a list; in a table JSON, or separated by `;`), `quote` (copied from a
    document) and `answer` (found verbatim, in at most `MOST_HOLDING` documents); the first that is not empty counts.
    `lang`, `query_id` and `type` are optional; without `lang` the language is recognised among those of the corpus.

    Raises:
        InputError: if the file is of another form, a row has no question or says nothing of what is relevant, or an id
            occurs twice in a language; the message names the line.
    """
    finders = {lang: DocumentFinder(own) for lang, own in chunks.items()}
    questions: list[HumanQuestion] = []
    unused: list[UnusedQuestion] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in question_rows(path):
        question = _question(row, line, f"{path}:{line}", finders)
        if isinstance(question, UnusedQuestion):
            unused.append(question)
            continue
        key = question.lang, question.question_id
        if key in lines:
            raise InputError(f"{path}:{line}: id '{question.question_id}' is in line {lines[key]}, too; rename one")
        lines[key] = line
        questions.append(question)
    return HumanFile(tuple(questions), tuple(unused))


def _question(row: Row, line: int, where: str, finders: Mapping[str, DocumentFinder]) -> HumanQuestion | UnusedQuestion:
    text = row_text(row, "question", where).strip()
    if not text:
        raise InputError(f"{where}: 'question' is missing or empty; write it")
    way = next((key for key in _WAYS if row.get(key) not in (None, "", [])), None)
    if way is None:
        raise InputError(f"{where}: the row does not say what is relevant; give 'doc_ids', 'quote' or 'answer'")
    lang = row_text(row, "lang", where).strip() or (
        next(iter(finders)) if len(finders) == 1 else likeliest(text, finders)
    )
    if lang not in finders:
        return UnusedQuestion(line, f"no corpus in '{lang}'")
    finder = finders[lang]
    doc_ids: tuple[str, ...]
    if way == "doc_ids":
        doc_ids = _doc_ids(row, where)
        unknown = [doc_id for doc_id in doc_ids if doc_id not in finder.doc_ids]
        reason = f"no document '{unknown[0]}'" if unknown else ""
    else:
        wanted = row_text(row, way, where)
        doc_ids = finder.holding_quote(wanted) if way == "quote" else finder.holding_answer(wanted)
        reason = "" if doc_ids else f"{way} not found"
        if way == "answer" and len(doc_ids) > MOST_HOLDING:
            reason = f"answer is in {len(doc_ids)} documents"
    if reason:
        return UnusedQuestion(line, reason)
    question_id = row_text(row, "query_id", where).strip() or f"h{line}"
    return HumanQuestion(question_id, lang, text, doc_ids, row_text(row, "type", where).strip())


def _doc_ids(row: Row, where: str) -> tuple[str, ...]:
    value = row["doc_ids"]
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip().startswith("[") else value.split(";")
        except json.JSONDecodeError:
            value = None
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise InputError(f'{where}: \'doc_ids\' must be a list of ids, as in ["a-01", "a-02"] or a-01; a-02')
    return tuple(dict.fromkeys(one.strip() for one in value))
