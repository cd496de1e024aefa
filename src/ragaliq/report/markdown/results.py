"""results.md: the runs on the same data, one table for each language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.aggregate.beside import beside_section
from ragaliq.aggregate.gap import gap_section
from ragaliq.aggregate.query_grades import QueryGrades, table_grades
from ragaliq.aggregate.summary import Summary, summarise_tables
from ragaliq.errors import InputError

# Named again for the tables that take it from here.
from ragaliq.report.format import NONE as NONE
from ragaliq.report.format import between, number
from ragaliq.report.markdown.crosslingual import matrix_sections
from ragaliq.report.markdown.judges import judge_lines
from ragaliq.report.markdown.result_tables import language_section
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import read_json, write_atomic


@dataclass(frozen=True, slots=True)
class Result:
    """A run: its configuration, its `metrics.json`, and by language its summaries, grades and reader's seconds."""

    folder: RunFolder
    config: dict[str, Any]
    summaries: dict[str, Summary]
    graded: dict[str, QueryGrades]
    seconds: dict[str, float]
    metrics: dict[str, Any]

    @property
    def data(self) -> str:
        """The hash of the data that the run answers."""
        return str(self.config["data"]["hash"])


def load_result(folder: RunFolder) -> Result:
    """Read a run for a report.

    Raises:
        InputError: if the folder is no run, or is not graded yet.
    """
    config = folder.config()
    if not folder.verdicts_file.is_file():
        raise InputError(f"{folder}: not graded yet; `ragaliq judge {folder}` grades it")
    answers, verdicts = folder.answers(), folder.verdicts()
    summaries = summarise_tables(folder, answers, verdicts, config["system"]["seed"])
    return Result(
        folder,
        config,
        {summary.lang: summary for summary in summaries},
        {graded.lang: graded for graded in table_grades(folder, answers, verdicts)},
        folder.seconds(),
        read_json(folder.metrics_file) if folder.metrics_file.is_file() else {},
    )


def results_beside(run: RunFolder) -> tuple[list[Result], list[Path]]:
    """Return the graded runs in the folder of `run` that answer the same data, and the folders of the other runs.

    A folder beside `run` that is no run, or a broken one, is among the others.
    """
    data = run.config()["data"]["hash"]
    same, others = [], []
    for path in sorted(run.path.parent.iterdir()):
        folder = RunFolder(path)
        if not folder.config_file.is_file() or not folder.metrics_file.is_file():
            continue
        try:
            beside = load_result(folder)
        except InputError:
            if path == run.path:
                raise
            others.append(path)
            continue
        if beside.data == data:
            same.append(beside)
        else:
            others.append(path)
    return same, others


def write_results(path: Path, results: Sequence[Result], others: Sequence[Path], min_coverage: float) -> list[str]:
    """Write `results.md`, and return a line for each headline that is withheld because its coverage is too low.

    Raises:
        InputError: if the runs answer different data.
    """
    if len({result.data for result in results}) != 1:
        raise InputError("report: these runs answer different data; report each data set by itself")
    parts = [_head(results[0], min_coverage)]
    judges = judge_lines(results, path.parent / "certificates")
    if judges:
        parts.append("\n".join(f"- {line}" for line in judges))
    withheld: list[str] = []
    for lang in dict.fromkeys(lang for result in results for lang in result.summaries):
        here = [result for result in results if lang in result.summaries]
        parts.append(language_section(lang, here, min_coverage))
        parts += beside_section([(result.folder.path.name, result.metrics) for result in here], lang)
        withheld += _withheld(lang, here, min_coverage)
    gaps = [gap_section(*_named(result), min_coverage, result.config["system"]["seed"]) for result in _by_name(results)]
    if any(gaps):
        parts += ["# The same queries in several languages", *filter(None, gaps)]
    parts += matrix_sections(results)
    if others:
        names = ", ".join(f"`{path.name}`" for path in others)
        parts.append(f"Not shown, because they answer other data or are broken (`ragaliq report RUN` tells): {names}")
    write_atomic(path, ("\n\n".join(parts) + "\n").encode("utf-8"))
    return withheld


def headline(summary: Summary, min_coverage: float) -> str:
    """Return one language's figures in one line."""
    values, interval = summary.aggregates, summary.aggregates.weighted_score_ci
    score = NONE if not summary.covered(min_coverage) else number(values.weighted_score)
    ci95 = "" if score == NONE or interval is None else f"  ci95 {between(interval)}"
    graded = f"graded {values.n_scored}/{values.n_expected}"
    return f"{summary.lang}  weighted_score {score}{ci95}  {graded}  judge {summary.judge or NONE}"


def _head(result: Result, min_coverage: float) -> str:
    data = result.config["data"]
    base = data.get("knowledge_base")
    return (
        f"# Results on {data['name']} {data['version']}" + (f", {base}" if base else "") + "\n\n"
        f"Data `{data['hash'][:12]}`. Tables are sorted by `weighted_score`, the square of the mean weight of the "
        "grades (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0) over the answerable queries. `coverage` is the share of these "
        f"queries that have a grade; below {min_coverage:g} the headline is withheld ({NONE}). `ci95` is the 95 % "
        "interval over the choice of queries; reader and judge are taken as they are. `rank_ci` holds the ranks that "
        "the data cannot tell apart, with 95 % certainty for all rows of a table at once (paired by query, studentised "
        "max-t over all pairs of runs). `mean_grade`, `median_grade` and `percentage` (of 5) leave the zeros out, "
        "`percentage_with_zero` does not. `generation_time` is the sum of the reader's seconds."
    )


def _withheld(lang: str, results: Sequence[Result], min_coverage: float) -> list[str]:
    lines = []
    for result in results:
        summary = result.summaries[lang]
        if not summary.covered(min_coverage):
            values = summary.aggregates
            share = f"coverage {number(values.coverage)} ({values.n_scored} of {values.n_expected})"
            lines.append(f"{result.folder}: {lang}: {share} is below {min_coverage:g}")
    return lines


def _named(result: Result) -> tuple[str, list[QueryGrades]]:
    return result.folder.path.name, list(result.graded.values())


def _by_name(results: Sequence[Result]) -> list[Result]:
    return sorted(results, key=lambda result: (result.folder.path.name, str(result.folder.path)))
