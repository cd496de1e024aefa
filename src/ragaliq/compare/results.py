"""Graded runs on the same data side by side: the record that results.md, or another page, shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.aggregate.cross_lingual import Matrix, cross_lingual_matrices
from ragaliq.aggregate.grades.query_grades import JudgeId, judge_names, judges_of
from ragaliq.aggregate.language_gap import gap_of
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.benchmark.layout import rules_notes
from ragaliq.compare.agreement.certificate import cite, read_certificates
from ragaliq.compare.overview.findings import RunFindings, findings_of
from ragaliq.compare.overview.language_tables import LanguageTable, by_name, language_tables
from ragaliq.compare.overview.systems import Overview, overview_of
from ragaliq.errors import InputError
from ragaliq.judge.families import builder_warnings
from ragaliq.metrics.answers.gap import LanguageGap


@dataclass(frozen=True, slots=True)
class KnownJudge:
    """A judge, what its certificates say (or why they cannot be read), and the summary that it gives of itself."""

    judge: JudgeId
    citation: str
    summary: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RunGap:
    """One run's languages: compared, or graded by different `judges`, whose names stand here then."""

    run: RunFigures
    judges: tuple[str, ...]
    gap: LanguageGap | None
    left_out: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The run's name."""
        return self.run.name


@dataclass(frozen=True, slots=True)
class Results:
    """Runs on the same data.

    Attributes:
        data: `config.json`'s `data`.
        warnings: what to know of the models that built it.
        min_coverage: a headline of less coverage is withheld.
        judges: who graded.
        overview: one row a system, best first; lists of runs elsewhere have the same order.
        findings: what the runs show.
        languages: one table a language, each best first.
        gaps: the languages of each run compared.
        matrices: language of the query × language of the documents.
        others: folders of runs that are not among them.
    """

    data: Mapping[str, Any]
    warnings: tuple[str, ...]
    min_coverage: float
    judges: tuple[KnownJudge, ...]
    overview: Overview
    findings: RunFindings
    languages: tuple[LanguageTable, ...]
    gaps: tuple[RunGap, ...]
    matrices: tuple[Matrix, ...]
    others: tuple[Path, ...]


def compare_results(
    runs: Sequence[RunFigures], min_coverage: float, certificates: Path, others: Sequence[Path] = ()
) -> Results:
    """Hold graded runs against each other; `others` are runs that answer other data.

    A headline is withheld below `min_coverage`. The folder of the judges' `certificates` need not be there.

    Raises:
        InputError: if the runs answer different data, or a file that is needed besides the grades is malformed.
    """
    if len({run.data for run in runs}) != 1:
        raise InputError("report: these runs answer different data; report each data set by itself")
    tables = language_tables(runs, min_coverage)
    overview = overview_of(runs, tables, min_coverage)
    gaps = [_gap(run, min_coverage) for run in overview.order]
    return Results(
        runs[0].config["data"],
        _builder_notes(runs),
        min_coverage,
        _judges(runs, certificates),
        overview,
        findings_of(overview, tables, gaps[0].gap if gaps[0] else None),
        tuple(tables),
        tuple(gap for gap in gaps if gap is not None),
        cross_lingual_matrices(runs),
        tuple(others),
    )


def _builder_notes(runs: Sequence[RunFigures]) -> tuple[str, ...]:
    """Return what to know of the models that built the data: rules in their place, or of the family of a system's."""
    notes: dict[str, None] = {}
    for config in (run.config for run in sorted(runs, key=by_name)):
        built_by = config["data"].get("built_by") or ()
        notes |= dict.fromkeys((*rules_notes(built_by), *builder_warnings(built_by, config["system"])))
    return tuple(notes)


def _judges(runs: Sequence[RunFigures], certificates: Path) -> tuple[KnownJudge, ...]:
    judges = judges_of(summary.grades for run in runs for summary in run.summaries.values())
    try:
        known = read_certificates(certificates)
        cited = {judge: cite(known, judge.name, judge.prompt_hash) for judge in judges}
    except InputError as error:
        # A broken certificate says nothing of the runs.
        cited = dict.fromkeys(judges, str(error))
    summaries: dict[JudgeId, Mapping[str, Any]] = {}
    for config in (run.config["judge"] or {} for run in runs):
        if config.get("certificate"):
            judge = JudgeId(config.get("name", ""), config.get("prompt_hash", ""))
            summaries.setdefault(judge, config["certificate"])
    return tuple(KnownJudge(judge, cited[judge], summaries.get(judge)) for judge in judges)


def _gap(run: RunFigures, min_coverage: float) -> RunGap | None:
    grades = [summary.grades for summary in run.summaries.values()]
    judges = judges_of(own for own in grades if own.scored)
    if len(judges) > 1 and len(grades) > 1:
        return RunGap(run, tuple(judge_names(judges)), None)
    gap = gap_of(grades, min_coverage, run.seed)
    if gap is None:
        return None
    compared = {result.lang for result in gap.languages}
    return RunGap(run, (), gap, tuple(own.lang for own in grades if own.lang not in compared))
