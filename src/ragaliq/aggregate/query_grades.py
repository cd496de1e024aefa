"""Grades by query, from whatever holds them: run folders, graded rows, reference logs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ragaliq.errors import InputError
from ragaliq.formats.grades.reference_logs import log_system, read_reference_log
from ragaliq.formats.reading.fields import row_id
from ragaliq.runs.folder import AnswerHeader, RunFolder, VerdictHeader
from ragaliq.runs.rows import FAILED, RunAnswer
from ragaliq.storage.files import Row, read_journal
from ragaliq.storage.record_store import RecordStore
from ragaliq.types import AnswerOutcome, Verdict

# So much of a prompt hash tells two judges apart on paper.
_HASH = 8


class QueryKey(NamedTuple):
    """A query of one language, by its id or by its text.

    A text that a file asks several times is told apart by `occurrence`, from 1: the k-th row of a question in one file
    goes with its k-th row in another. Tests take all of them as one query (a cluster). `query` is empty where a row has
    neither id nor text; `occurrence` is its line then, and the row goes with none in another file.
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

    Rows (`.jsonl`) are `{query_id or question, lang, grade or score, judge?, prompt_hash?, answerable?}`; those of
    unanswerable queries are left out, and of several rows with the same `query_id` the last one counts. Ids count where
    every row has one.

    Args:
        path: the folder or file.
        by_question: queries go by their text even where they have ids; a log knows no ids.

    Raises:
        InputError: if the path is none of these, a grade is off the scale, an id is neither text nor whole number, or a
            query is graded for several runs or by several raters.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the path")
    if path.is_dir():
        return run_grades(RunFolder(path), by_question)
    if path.suffix == ".jsonl":
        if path.name == "verdicts.jsonl" and (path.parent / "config.json").is_file():
            return run_grades(RunFolder(path.parent), by_question)
        return _row_grades(path, by_question)
    return [_log_grades(path)]


def run_grades(folder: RunFolder, by_question: bool = False) -> list[QueryGrades]:
    """Return a run's answers to answerable queries, in the order of the languages of its configuration.

    Raises:
        InputError: if the folder is no run.
    """
    return table_grades(folder, folder.answers(), folder.verdicts(), by_question)


def table_grades(
    folder: RunFolder, answers: RecordStore[RunAnswer], verdicts: RecordStore[Verdict], by_question: bool = False
) -> list[QueryGrades]:
    """Return the same from the run's tables, for callers that have read them."""
    config = folder.config()
    found: dict[str, dict[QueryKey, GradedAnswer]] = {lang: {} for lang in config["expected"]}
    judges: dict[str, set[JudgeId]] = {lang: set() for lang in found}
    seen: dict[str, Counter[str]] = {lang: Counter() for lang in found}
    for key in answers:
        lang, query_id = key
        if lang not in found or not answers.header(key).answerable:
            continue
        verdict = verdicts.header(key) if key in verdicts else None
        if verdict is not None:
            judges[lang].add(JudgeId(verdict.judge, verdict.prompt_hash))
        asked = _next(answers[key].item.query.text.strip(), seen[lang]) if by_question else QueryKey(query_id)
        found[lang][asked] = _graded_answer(answers.header(key), verdict)
    return [
        QueryGrades(
            folder.path.name or str(folder.path),
            lang,
            own,
            tuple(sorted(judges[lang])),
            config["expected"][lang]["answerable"],
            config["data"]["hash"],
            not by_question,
        )
        for lang, own in found.items()
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


def _graded_answer(note: AnswerHeader, verdict: VerdictHeader | None) -> GradedAnswer:
    abstained = None if note.outcome in FAILED else note.outcome is AnswerOutcome.ABSTAINED
    in_language = None if note.in_language is None else float(note.in_language)
    return GradedAnswer(verdict.grade if verdict else None, abstained, in_language)


def _row_grades(path: Path, by_question: bool) -> list[QueryGrades]:
    rows = [(number, row, _grade(path, number, row)) for number, row in read_journal(path)]
    by_id = not by_question and all(row.get("query_id") not in (None, "") for _, row, _ in rows)
    found: dict[str, dict[QueryKey, GradedAnswer]] = {}
    judges: dict[tuple[str, QueryKey], JudgeId] = {}
    about: dict[tuple[str, QueryKey], Row] = {}
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for number, row, grade in rows:
        if row.get("answerable") is False:
            continue
        lang = str(row.get("lang") or "")
        own = found.setdefault(lang, {})
        asked = QueryKey(row_id(row, "query_id", f"{path}:{number}")) if by_id else _by_text(row, number, seen[lang])
        _check_same(about.setdefault((lang, asked), row), row, f"{path}:{number}: query '{asked.query}'")
        own[asked] = GradedAnswer(grade)
        judges[lang, asked] = JudgeId(str(row.get("judge") or ""), str(row.get("prompt_hash") or ""))
    return [
        QueryGrades(
            path.stem,
            lang,
            own,
            tuple(sorted({judges[lang, asked] for asked in own if judges[lang, asked].name})),
            by_id=by_id,
        )
        for lang, own in sorted(found.items())
    ]


def _check_same(first: Row, row: Row, where: str) -> None:
    """Refuse a query with rows of several systems or people: the last would stand for all of them."""
    for key, what in (("run", "for several runs"), ("rater", "by several raters")):
        names = [str(one.get(key) or "") for one in (first, row)]
        if names[0] != names[1]:
            raise InputError(f"{where} is graded {what} ({', '.join(map(repr, names))}); give a file for each")


def _grade(path: Path, number: int, row: Mapping[str, Any]) -> int | None:
    grade = row.get("grade", row.get("score"))
    if grade is not None and (not isinstance(grade, int) or isinstance(grade, bool) or not 0 <= grade <= 5):
        raise InputError(f"{path}:{number}: 'grade' must be a whole number from 0 to 5 or null, not {grade!r}")
    if "grade" not in row and "score" not in row:
        raise InputError(f"{path}:{number}: no 'grade' and no 'score'; give verdicts, graded rows or a run")
    return grade


def _by_text(row: Mapping[str, Any], number: int, seen: Counter[str]) -> QueryKey:
    question = str(row.get("question") or "").strip()
    return _next(question, seen) if question else QueryKey("", number)


def _next(question: str, seen: Counter[str]) -> QueryKey:
    seen[question] += 1
    return QueryKey(question, seen[question])


def _log_grades(path: Path) -> QueryGrades:
    log = read_reference_log(path)
    found: dict[QueryKey, GradedAnswer] = {}
    seen: Counter[str] = Counter()
    for number, row in enumerate(log.rows, start=1):
        asked = _next(row.question, seen) if row.question else QueryKey("", number)
        found[asked] = GradedAnswer(row.grade, None, row.consistency)
    judges = (JudgeId(log.judge),) if log.judge else ()
    return QueryGrades(log_system(path), log.lang, found, judges, by_id=False)
