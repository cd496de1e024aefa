"""Files of grades side by side: old logs, graded tables, verdicts away from their run, and runs among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragaliq.aggregate.run_rows import run_at
from ragaliq.aggregate.summary import Summary, summarise_path
from ragaliq.aggregate.usage import reader_times
from ragaliq.compare.file_ranks import FileRanks, rank_files
from ragaliq.errors import InputError
from ragaliq.formats.grades.reference_logs import log_facts
from ragaliq.metrics.answers.aggregates import aggregate
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One file or run in the table of one language.

    Attributes:
        name: the file's or folder's name where that tells it apart, else its path.
        system: `config.json`'s `system` of a run; None of a file.
        parts: reader, embedder and reranker of a log's name; of another file its name.
        seconds: the reader's, where they are known.
        withheld: too few answers have a grade for a headline.
    """

    name: str
    system: Mapping[str, Any] | None
    parts: tuple[str, ...]
    summary: Summary
    seconds: float | None
    withheld: bool
    ranks: RankSet | None = None
    selection: float | None = None


@dataclass(frozen=True, slots=True)
class SourceTable:
    """The files and runs of one language, best first, withheld headlines last; `ranking` is what the ranks rest on."""

    lang: str
    rows: tuple[SourceRow, ...]
    ranking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileResults:
    """Tables by language, in the order in which the files name them."""

    min_coverage: float
    tables: tuple[SourceTable, ...]


def compare_files(paths: Sequence[Path], min_coverage: float, n_expected: int | None = None) -> FileResults:
    """Hold files of grades, and runs, against each other.

    How many answers a file should have a grade for is `n_expected`, else the number of answers in the log beside it,
    else the number of its rows where some have no grade, else not known.

    Raises:
        InputError: if a path holds no grades, or more than are expected.
    """
    names = Counter(path.name for path in set(paths))
    rows = [
        replace(row, name=path.name if names[path.name] == 1 else row.name)
        for path in dict.fromkeys(paths)
        for row in _rows(path, n_expected, min_coverage)
    ]
    langs = dict.fromkeys(row.summary.lang for row in rows)
    ranked = rank_files([(row.name, row.summary.grades) for row in rows if not row.withheld])
    return FileResults(
        min_coverage, tuple(_table(lang, [row for row in rows if row.summary.lang == lang], ranked) for lang in langs)
    )


def _table(lang: str, rows: Sequence[SourceRow], ranked: FileRanks) -> SourceTable:
    placed = (
        replace(row, ranks=ranked.placed.get((row.name, lang)), selection=ranked.selection.get((row.name, lang)))
        for row in sorted(rows, key=_order)
    )
    notes = (f"{lang or 'no language'}: {ranked.lines[lang]}",) if lang in ranked.lines else ()
    return SourceTable(lang, tuple(placed), notes)


def _order(row: SourceRow) -> tuple[bool, float, str]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the path."""
    return row.withheld, -(row.summary.aggregates.weighted_score or 0.0), row.name


def _rows(path: Path, n_expected: int | None, min_coverage: float) -> list[SourceRow]:
    folder = run_at(path)
    if folder is None:
        facts = log_facts(path)
        summaries = [_expecting(path, one, facts.n_answers) for one in summarise_path(path, n_expected)]
        sources = [(summary, None, facts.parts, facts.seconds) for summary in summaries]
    else:
        times, system = reader_times(folder.seconds()), folder.config()["system"]
        taken = {lang: own.total for lang, own in times.items()}
        sources = [(summary, system, (), taken.get(summary.lang)) for summary in summarise_path(path)]
    return [
        SourceRow(str(path), system, parts, summary, taken, not summary.covered(min_coverage))
        for summary, system, parts, taken in sources
    ]


def _expecting(path: Path, summary: Summary, n_answers: int | None) -> Summary:
    """Return a summary that knows how many grades there should be, where the number of answers or its own rows tell.

    A file without a row that lacks its grade may have left such rows out, so its rows tell nothing.
    """
    values = summary.aggregates
    expected = values.n if n_answers is None and values.n > values.n_scored else n_answers
    if values.n_expected is not None or expected is None:
        return summary
    if values.n > expected:
        rows = f"{values.n} judged rows are more than the {expected} answers of the log beside it"
        raise InputError(f"{path}: {rows}; are both of the same run?")
    grades = [answer.grade for answer in summary.grades.answers.values()]
    return replace(summary, aggregates=aggregate(grades, expected))
