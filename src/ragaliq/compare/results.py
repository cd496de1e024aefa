"""Graded runs on the same data side by side: the record that results.md, or another page, shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.aggregate.cross_lingual import Matrix, cross_lingual_matrices, kb_lang
from ragaliq.aggregate.grades.query_grades import JudgeId, judge_names, judges_of
from ragaliq.aggregate.language_gap import gap_of
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.summary import Summary
from ragaliq.benchmark.layout import rules_notes
from ragaliq.compare.agreement.certificate import cite, read_certificates
from ragaliq.compare.rank_groups import rank_groups
from ragaliq.errors import InputError
from ragaliq.judge.families import builder_warnings
from ragaliq.metrics.answers.gap import LanguageGap
from ragaliq.metrics.statistics.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A run in the table of one language; its headline is withheld where too few answers have a grade."""

    run: RunFigures
    summary: Summary
    withheld: bool
    ranks: RankSet | None


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The runs of one language.

    Attributes:
        lang: the language.
        runs: the runs, in the order given.
        rows: the same, best first; those whose headline is withheld come last.
        ranking: what the ranks rest on, a line for each group of runs.
        judges: names of the judges where they are several.
        same_queries: all runs answer the same number of queries.
        same_documents: all runs have the same `kb_lang`.
    """

    lang: str
    runs: tuple[RunFigures, ...]
    rows: tuple[ResultRow, ...]
    ranking: tuple[str, ...]
    judges: tuple[str, ...]
    same_queries: bool
    same_documents: bool


@dataclass(frozen=True, slots=True)
class KnownJudge:
    """A judge, what its certificates say (or why they cannot be read), and the summary that it gives of itself."""

    judge: JudgeId
    citation: str
    summary: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RunGap:
    """One run's languages: compared, or graded by different `judges`, whose names stand here then."""

    name: str
    judges: tuple[str, ...]
    gap: LanguageGap | None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """Runs on the same data, what to know of its builders, and the folders of runs that are not among them."""

    data: Mapping[str, Any]
    warnings: tuple[str, ...]
    min_coverage: float
    judges: tuple[KnownJudge, ...]
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
    langs = dict.fromkeys(lang for run in runs for lang in run.summaries)
    gaps = (_gap(run, min_coverage) for run in sorted(runs, key=_name))
    return Results(
        runs[0].config["data"],
        _builder_notes(runs),
        min_coverage,
        _judges(runs, certificates),
        tuple(_table(lang, [run for run in runs if lang in run.summaries], min_coverage) for lang in langs),
        tuple(gap for gap in gaps if gap is not None),
        cross_lingual_matrices(runs),
        tuple(others),
    )


def _builder_notes(runs: Sequence[RunFigures]) -> tuple[str, ...]:
    """Return what to know of the models that built the data: rules in their place, or of the family of a system's."""
    notes: dict[str, None] = {}
    for config in (run.config for run in sorted(runs, key=_name)):
        built_by = config["data"].get("built_by") or ()
        notes |= dict.fromkeys((*rules_notes(built_by), *builder_warnings(built_by, config["system"])))
    return tuple(notes)


def _name(run: RunFigures) -> tuple[str, str]:
    """Sort runs in an order that does not depend on their figures or on how they were given."""
    return run.name, str(run.folder)


def _table(lang: str, runs: Sequence[RunFigures], min_coverage: float) -> LanguageTable:
    ordered = sorted(runs, key=lambda run: _order(run, lang, min_coverage))
    named = sorted(ordered, key=_name)
    shown = [run.summaries[lang].covered(min_coverage) for run in named]
    seed = min((run.seed for run, there in zip(named, shown, strict=True) if there), default=0)
    ranked = rank_groups([run.summaries[lang].grades for run in named], shown, seed)
    ranks = {named[place].folder.path: rank_set for place, rank_set in ranked.ranks.items()}
    judges = judge_names(judges_of(run.summaries[lang].grades for run in runs))
    return LanguageTable(
        lang,
        tuple(runs),
        tuple(
            ResultRow(run, summary, not summary.covered(min_coverage), ranks.get(run.folder.path))
            for run, summary in ((run, run.summaries[lang]) for run in ordered)
        ),
        tuple(ranked.lines),
        tuple(judges) if len(judges) > 1 else (),
        len({run.summaries[lang].aggregates.n_expected for run in runs}) == 1,
        len({kb_lang(run.config) for run in runs}) == 1,
    )


def _order(run: RunFigures, lang: str, min_coverage: float) -> tuple[bool, float, str]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the run's name."""
    summary = run.summaries[lang]
    return not summary.covered(min_coverage), -(summary.aggregates.weighted_score or 0.0), run.name


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
        return RunGap(run.name, tuple(judge_names(judges)), None)
    gap = gap_of(grades, min_coverage, run.seed)
    if gap is None:
        return None
    compared = {result.lang for result in gap.languages}
    return RunGap(run.name, (), gap, tuple(own.lang for own in grades if own.lang not in compared))
