"""The aggregates of a run, or of another source of grades, in each language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ragaliq.aggregate.grades.query_grades import QueryGrades, read_query_grades, run_grades
from ragaliq.aggregate.run_rows import RunRows, read_run_rows, run_at
from ragaliq.errors import InputError
from ragaliq.metrics.answers.abstention import AbstentionTable, abstention_table
from ragaliq.metrics.answers.aggregates import Aggregates, aggregate
from ragaliq.metrics.answers.language import LanguageConsistency, language_consistency


@dataclass(frozen=True, slots=True)
class Summary:
    """The aggregates of one file or run in one language, and the grades of the answerable queries that they are of."""

    grades: QueryGrades
    judge: str | None
    aggregates: Aggregates
    consistency: LanguageConsistency
    abstention: AbstentionTable | None = None

    @property
    def lang(self) -> str:
        """The language; empty if not known."""
        return self.grades.lang

    @property
    def language_consistency(self) -> float | None:
        """Share of answers in the query's language among those long enough to tell; None if none is."""
        return self.consistency.value

    def covered(self, min_coverage: float) -> bool:
        """Return whether enough answers have a grade; where no query is answerable, nothing is missing."""
        return self.aggregates.coverage is None or self.aggregates.coverage >= min_coverage

    def to_json(self) -> dict[str, Any]:
        """Return the object of `ragaliq aggregate --format json`, without `file`."""
        values = {entry.name: getattr(self.aggregates, entry.name) for entry in fields(self.aggregates)}
        values["counts"] = {str(grade): count for grade, count in self.aggregates.counts.items()}
        return {
            "lang": self.lang,
            "judge": self.judge,
            **{key: list(value) if isinstance(value, tuple) else value for key, value in values.items()},
            "language_consistency": self.language_consistency,
            "language_consistency_n": self.consistency.n_decided,
            "language_consistency_ci": None if self.consistency.ci is None else list(self.consistency.ci),
            "abstention": None if self.abstention is None else self.abstention.to_json(),
        }


def summarise_run(rows: RunRows) -> list[Summary]:
    """Return the summary of each language of a run, in the order of its configuration.

    Only answerable queries enter the aggregates; a query without a verdict counts as a missing grade.

    Raises:
        InputError: if more answers are graded than the configuration expects.
    """
    return [_summarise(rows, grades, rows.config["expected"][grades.lang]["answerable"]) for grades in run_grades(rows)]


def _summarise(rows: RunRows, grades: QueryGrades, n_expected: int) -> Summary:
    lang = grades.lang
    answers = {key: answer for key, answer in rows.answers.items() if key[0] == lang}
    verdicts = {key: verdict.header for key, verdict in rows.verdicts.items() if key[0] == lang}
    graded = [verdicts[key].grade for key, answer in answers.items() if answer.header.answerable and key in verdicts]
    if len(graded) > n_expected:
        many = f"{len(graded)} graded answers are more than the {n_expected} of config.json"
        raise InputError(f"{rows.folder}: {lang}: {many}; are both of the same run?")
    return Summary(
        grades,
        _joined(header.judge for header in verdicts.values()),
        aggregate(graded, n_expected, rows.config["system"]["seed"]),
        language_consistency(answer.header.language.answer for answer in answers.values()),
        abstention_table([(answer.header.answerable, answer.abstained) for answer in answers.values()]),
    )


def summarise_path(path: Path, n_expected: int | None = None) -> list[Summary]:
    """Return a summary for each language in a run folder, a file of graded rows, or a reference log.

    Rows away from their run do not say how many queries there are, unless `n_expected` does.

    Raises:
        InputError: if the path is none of these, a grade is off the scale, or there are more rows than expected.
    """
    folder = run_at(path)
    if folder is None:
        return [summarise_grades(path, grades, n_expected) for grades in read_query_grades(path)]
    if n_expected is not None:
        raise InputError(f"{path}: a run knows how many queries it has; leave out --n-expected")
    return summarise_run(read_run_rows(folder))


def summarise_grades(path: Path, grades: QueryGrades, n_expected: int | None = None) -> Summary:
    """Return the summary of one language of a file of grades.

    Raises:
        InputError: if there are more rows than expected.
    """
    answers = grades.answers.values()
    try:
        aggregates = aggregate([answer.grade for answer in answers], n_expected)
    except ValueError as error:
        raise InputError(f"{path}: {error}; check --n-expected") from None
    consistency = language_consistency(answer.in_language for answer in answers)
    judges = _joined(judge.name for judge in grades.judges)
    return Summary(grades, judges, aggregates, consistency)


def _joined(judges: Iterable[str]) -> str | None:
    return " + ".join(sorted(set(judges))) or None
