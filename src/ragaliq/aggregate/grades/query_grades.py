"""Grades by query, from whatever holds them: run folders and files of graded rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from ragaliq.aggregate.run_rows import RunRows, read_run_rows, run_at
from ragaliq.errors import InputError
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.grades.reference_logs import log_system
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.storage.record_store import Key

# Characters of a prompt hash that tell two judges apart on paper.
_HASH = 8
# In the place of a hash that a file does not hold, as a log of RAGaliq.
_UNKNOWN = "(prompts unknown)"


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

    def __str__(self) -> str:
        return " ".join(filter(None, self))


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """What is known of one answer; None where it is not known.

    Attributes:
        grade: 0 to 5.
        abstained: the reader abstained.
        in_language: whether the answer is in the query's language, or how far, in 0..1.
        question: the query's text, where queries go by their id.
        failure: why it has no grade; empty where it has one, or nothing says why.
    """

    grade: int | None
    abstained: bool | None = None
    in_language: float | None = None
    question: str = ""
    failure: str = ""


class JudgedSystem(Protocol):
    """A system's values in one language, as far as who graded them matters."""

    @property
    def judges(self) -> tuple[JudgeId, ...]:
        """Empty if not known."""

    @property
    def n_scored(self) -> int:
        """Number of answers that have a value."""


class AskedSystem(Protocol):
    """A system's values in one language, as far as the queries that it answers matter."""

    @property
    def name(self) -> str:
        """What the system is called."""

    @property
    def data(self) -> str:
        """Hash of the data; empty if not known."""

    @property
    def n_expected(self) -> int | None:
        """Number of queries that should be there; None if not known."""

    @property
    def asked(self) -> Set[QueryKey]:
        """The queries, with or without a value."""

    @property
    def scored(self) -> set[QueryKey]:
        """The queries with a value that another file may ask as well."""


@dataclass(frozen=True, slots=True)
class QueryGrades:
    """One system's answers to the answerable queries of one language.

    Attributes:
        name: what the system is called, as its folder or file.
        lang: empty if not known.
        answers: with or without a grade.
        judges: empty if not known.
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

    def by_text(self) -> QueryGrades:
        """Return the same answers with queries by their text; a log knows no ids."""
        if not self.by_id:
            return self
        seen: Counter[str] = Counter()
        numbered = enumerate(self.answers.values(), start=1)
        return replace(self, answers={_by_text(a.question, n, seen): a for n, a in numbered}, by_id=False)

    @property
    def asked(self) -> Set[QueryKey]:
        """The queries, with or without a grade."""
        return self.answers.keys()

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


def read_query_grades(path: Path) -> list[QueryGrades]:
    """Return what a run folder or a file of grades holds, a system for each language.

    Rows are those of `formats.grades`; unanswerable queries are left out, and of several rows with the same `query_id`
    the last one counts. Ids count where every row has one.

    Raises:
        InputError: if the path is none of these, a grade is off the scale, an id is neither text nor whole number, or a
            query is graded for several runs or by several raters.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the path")
    folder = run_at(path)
    if folder is not None:
        return run_grades(read_run_rows(folder))
    return _row_grades(log_system(path), read_graded(path))


def read_systems(path: Path) -> list[list[QueryGrades]]:
    """Return the systems of a run folder or a file of grades: the rows of a file may name several under `run`.

    Each system has its languages, as `read_query_grades` returns them; rows that name no run are the file's own.

    Raises:
        InputError: as `read_query_grades`.
    """
    if run_at(path) is not None:
        return [read_query_grades(path)]
    rows = read_graded(path)
    runs = dict.fromkeys(row.run for row in rows)
    if len(runs) == 1:
        return [_row_grades(log_system(path), rows)]
    return [_row_grades(run or log_system(path), [row for row in rows if row.run == run]) for run in runs]


def run_grades(rows: RunRows) -> list[QueryGrades]:
    """Return a run's answers to answerable queries, in the order of the languages of its configuration."""
    config, path = rows.config, rows.folder.path
    answers: dict[str, dict[QueryKey, GradedAnswer]] = {lang: {} for lang in config["expected"]}
    judges: dict[str, set[JudgeId]] = {lang: set() for lang in answers}
    for key, answer in rows.answers.items():
        lang, query_id = key
        if lang not in answers or not answer.header.answerable:
            continue
        if key in rows.verdicts:
            header = rows.verdicts[key].header
            judges[lang].add(JudgeId(header.judge, header.prompt_hash))
        mark = answer.header.language.answer
        in_language = None if mark is None else float(mark)
        answers[lang][QueryKey(query_id)] = GradedAnswer(
            rows.grade(key), answer.abstained, in_language, answer.question, _failure(rows, key)
        )
    return [
        QueryGrades(
            path.name or str(path),
            lang,
            graded,
            tuple(sorted(judges[lang])),
            config["expected"][lang]["answerable"],
            config["data"]["hash"],
        )
        for lang, graded in answers.items()
    ]


def _failure(rows: RunRows, key: Key) -> str:
    """Return why an answer of a run has no grade."""
    if rows.grade(key) is not None:
        return ""
    return str(rows.verdicts[key].header.outcome) if key in rows.verdicts else "not graded"


def judges_of(systems: Iterable[JudgedSystem]) -> list[JudgeId]:
    """Return who graded any of the systems; one with grades from a judge not known has a judge without a name."""
    return sorted({judge for system in systems if system.n_scored for judge in system.judges or (JudgeId(""),)})


def judge_names(judges: Iterable[JudgeId]) -> list[str]:
    """Return how judges are called: by name, and by the start of their hash where names alone do not tell them apart.

    A judge that is not known is `—`.
    """
    known = sorted(set(judges))
    names = [judge.name for judge in known]
    return [
        f"{judge.name or '—'}{f' {judge.prompt_hash[:_HASH] or _UNKNOWN}' if names.count(judge.name) > 1 else ''}"
        for judge in known
    ]


def _row_grades(name: str, rows: Sequence[GradedRow]) -> list[QueryGrades]:
    by_id = all(row.query_id for row in rows)
    latest: dict[str, dict[QueryKey, GradedRow]] = {}
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, row in enumerate(rows, start=1):
        if row.answerable:
            query = QueryKey(row.query_id) if by_id else _by_text(row.question, number, seen[row.lang])
            own = latest.setdefault(row.lang, {})
            _check_same(own.get(query, row), row, query)
            own[query] = row
    return [
        QueryGrades(
            name,
            lang,
            {query: _graded_answer(row, by_id) for query, row in own.items()},
            tuple(sorted({JudgeId(row.judge, row.prompt_hash) for row in own.values() if row.judge})),
            by_id=by_id,
        )
        for lang, own in sorted(latest.items())
    ]


def _graded_answer(row: GradedRow, by_id: bool) -> GradedAnswer:
    return GradedAnswer(
        row.grade,
        in_language=row.consistency,
        question=row.question if by_id else "",
        failure="" if row.grade is not None else "no grade",
    )


def _check_same(before: GradedRow, row: GradedRow, query: QueryKey) -> None:
    """Refuse a query with rows of several systems or people: the last would stand for all of them."""
    for one, two, what in ((before.run, row.run, "for several runs"), (before.rater, row.rater, "by several raters")):
        if one != two:
            names = f"{one!r}, {two!r}"
            raise InputError(f"{row.where}: query '{query.query}' is graded {what} ({names}); give a file for each")


def _by_text(question: str, number: int, seen: Counter[str]) -> QueryKey:
    question = question.strip()
    if not question:
        return QueryKey("", number)
    seen[question] += 1
    return QueryKey(question, seen[question])
