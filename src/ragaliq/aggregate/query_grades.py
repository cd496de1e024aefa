"""Grades by query, from whatever holds them: run folders, graded rows, reference logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ragaliq.aggregate.run_rows import RunRows, read_run_rows, run_at
from ragaliq.errors import InputError
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.grades.reference_logs import log_system, read_reference_log
from ragaliq.formats.grades.rows import GradedRow

# Characters of a prompt hash that tell two judges apart on paper.
_HASH = 8


class QueryKey(NamedTuple):
    """A query of one language, by its id or by its text.

    A text that a file asks several times is told apart by `occurrence`, from 1: the k-th row of a question in one file
    goes with its k-th row in another. Tests take all of them as one query (a cluster). `query` is empty where a row has
    neither id nor text; `occurrence` is the number of its row then, and the row goes with none in another file.
    """

    query: str
    occurrence: int = 1


class JudgeId(NamedTuple):
    """Who graded: other prompts or another rubric make another judge."""

    name: str
    prompt_hash: str = ""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """What is known of one answer; None where it is not known.

    Attributes:
        grade: 0 to 5.
        abstained: the reader abstained.
        in_language: whether the answer is in the query's language, or how far, in 0..1.
    """

    grade: int | None
    abstained: bool | None = None
    in_language: float | None = None


@dataclass(frozen=True, slots=True)
class QueryGrades:
    """One system's answers to the answerable queries of one language.

    Attributes:
        name: what the system is called, as its folder or file.
        lang: the language; empty if not known.
        answers: the answers, with or without a grade.
        judges: who graded; empty if not known.
        n_expected: number of queries that should be there; None if not known.
        data: hash of the data; empty if not known.
        by_id: queries go by their id, not by their text.
    """

    name: str
    lang: str
    answers: Mapping[QueryKey, GradedAnswer]
    judges: tuple[JudgeId, ...]
    n_expected: int | None = None
    data: str = ""
    by_id: bool = True

    @property
    def scored(self) -> set[QueryKey]:
        """The queries whose answer has a grade, and which another file may ask as well."""
        return {asked for asked, answer in self.answers.items() if answer.grade is not None and asked.query}

    @property
    def n_scored(self) -> int:
        """Number of answers with a grade."""
        return sum(answer.grade is not None for answer in self.answers.values())

    @property
    def coverage(self) -> float | None:
        """Share of the expected queries that have a grade; None if their number is not known or 0."""
        return self.n_scored / self.n_expected if self.n_expected else None


def read_query_grades(path: Path, by_question: bool = False) -> list[QueryGrades]:
    """Return what a run folder, a file of graded rows or a reference log holds, a system for each language.

    Rows (`.jsonl`) are those of `formats.grades`; unanswerable queries are left out, and of several rows with the same
    `query_id` the last one counts. Ids count where every row has one.

    Args:
        path: the folder or file.
        by_question: queries go by their text even where they have ids; a log knows no ids.

    Raises:
        InputError: if the path is none of these, a grade is off the scale, an id is neither text nor whole number, or a
            query is graded for several runs or by several raters.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the path")
    folder = run_at(path)
    if folder is not None:
        return run_grades(read_run_rows(folder), by_question)
    return _row_grades(path, by_question) if path.suffix == ".jsonl" else [_log_grades(path)]


def run_grades(rows: RunRows, by_question: bool = False) -> list[QueryGrades]:
    """Return a run's answers to answerable queries, in the order of the languages of its configuration."""
    config, path = rows.config, rows.folder.path
    answers: dict[str, dict[QueryKey, GradedAnswer]] = {lang: {} for lang in config["expected"]}
    judges: dict[str, set[JudgeId]] = {lang: set() for lang in answers}
    seen: dict[str, Counter[str]] = {lang: Counter() for lang in answers}
    for key, answer in rows.answers.items():
        lang, query_id = key
        if lang not in answers or not answer.header.answerable:
            continue
        if key in rows.verdicts:
            header = rows.verdicts[key].header
            judges[lang].add(JudgeId(header.judge, header.prompt_hash))
        query = _next(answer.question.strip(), seen[lang]) if by_question else QueryKey(query_id)
        in_language = answer.header.in_language
        answers[lang][query] = GradedAnswer(
            rows.grade(key), answer.abstained, None if in_language is None else float(in_language)
        )
    return [
        QueryGrades(
            path.name or str(path),
            lang,
            graded,
            tuple(sorted(judges[lang])),
            config["expected"][lang]["answerable"],
            config["data"]["hash"],
            not by_question,
        )
        for lang, graded in answers.items()
    ]


def judges_of(systems: Iterable[QueryGrades]) -> list[JudgeId]:
    """Return who graded any of the systems; one with grades from a judge not known has a judge without a name."""
    return sorted({judge for system in systems if system.n_scored for judge in system.judges or (JudgeId(""),)})


def judge_names(judges: Iterable[JudgeId]) -> list[str]:
    """Return how judges are called: by name, and by the start of their hash where names alone do not tell them apart.

    A judge that is not known is `—`.
    """
    known = sorted(set(judges))
    names = [judge.name for judge in known]
    return [
        f"{judge.name or '—'}{f' {judge.prompt_hash[:_HASH]}' if names.count(judge.name) > 1 else ''}"
        for judge in known
    ]


def _row_grades(path: Path, by_question: bool) -> list[QueryGrades]:
    rows = read_graded(path)
    by_id = not by_question and all(row.query_id for row in rows)
    answers: dict[str, dict[QueryKey, GradedAnswer]] = {}
    judges: dict[tuple[str, QueryKey], JudgeId] = {}
    first: dict[tuple[str, QueryKey], GradedRow] = {}
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, row in enumerate(rows, start=1):
        if not row.answerable:
            continue
        query = QueryKey(row.query_id) if by_id else _by_text(row.question, number, seen[row.lang])
        _check_same(first.setdefault((row.lang, query), row), row, query)
        answers.setdefault(row.lang, {})[query] = GradedAnswer(row.grade)
        judges[row.lang, query] = JudgeId(row.judge, row.prompt_hash)
    return [
        QueryGrades(
            path.stem,
            lang,
            graded,
            tuple(sorted({judges[lang, query] for query in graded if judges[lang, query].name})),
            by_id=by_id,
        )
        for lang, graded in sorted(answers.items())
    ]


def _check_same(first: GradedRow, row: GradedRow, query: QueryKey) -> None:
    """Refuse a query with rows of several systems or people: the last would stand for all of them."""
    for one, two, what in ((first.run, row.run, "for several runs"), (first.rater, row.rater, "by several raters")):
        if one != two:
            names = f"{one!r}, {two!r}"
            raise InputError(f"{row.where}: query '{query.query}' is graded {what} ({names}); give a file for each")


def _by_text(question: str, number: int, seen: Counter[str]) -> QueryKey:
    question = question.strip()
    return _next(question, seen) if question else QueryKey("", number)


def _next(question: str, seen: Counter[str]) -> QueryKey:
    seen[question] += 1
    return QueryKey(question, seen[question])


def _log_grades(path: Path) -> QueryGrades:
    log = read_reference_log(path)
    seen: Counter[str] = Counter()
    answers = {
        _by_text(row.question, number, seen): GradedAnswer(row.grade, None, row.consistency)
        for number, row in enumerate(log.rows, start=1)
    }
    judges = (JudgeId(log.judge),) if log.judge else ()
    return QueryGrades(log_system(path), log.lang, answers, judges, by_id=False)
