"""The runs of one language, best first, and which of their ranks the data tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.grades.query_grades import judge_names, judges_of
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.summary import Summary
from ragaliq.compare.rank_groups import Placed, rank_groups
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A run in the table of one language; its headline is withheld where too few answers have a grade."""

    run: RunFigures
    summary: Summary
    withheld: bool
    ranks: RankSet | None

    @property
    def score(self) -> float | None:
        """The weighted score; None where it is withheld."""
        return None if self.withheld else self.summary.aggregates.weighted_score

    @property
    def ci(self) -> Interval | None:
        """The 95 % interval of the score; None where that is withheld."""
        return None if self.withheld else self.summary.aggregates.weighted_score_ci

    @property
    def certain(self) -> bool:
        """Whether it is better than every other run that it is ranked with."""
        return self.ranks is not None and self.ranks.first


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The runs of one language.

    Attributes:
        lang: the language.
        rows: the runs, best first; those whose headline is withheld come last.
        ranking: what the ranks rest on, a line for each group of runs.
        judges: names of the judges where they are several.
        same_queries: all runs answer the same number of queries.
        same_documents: all runs have the same `kb_lang`.
    """

    lang: str
    rows: tuple[ResultRow, ...]
    ranking: tuple[str, ...]
    judges: tuple[str, ...]
    same_queries: bool
    same_documents: bool


def language_table(lang: str, runs: Sequence[RunFigures], min_coverage: float) -> LanguageTable:
    """Return the table of the runs that have the language."""
    summaries = [run.summaries[lang] for run in runs]
    ranked = ranked_runs(runs, summaries, min_coverage)
    rows = [
        ResultRow(run, summary, not summary.covered(min_coverage), ranked.ranks.get(place))
        for place, (run, summary) in enumerate(zip(runs, summaries, strict=True))
    ]
    judges = judge_names(judges_of(summary.grades for summary in summaries))
    return LanguageTable(
        lang,
        tuple(sorted(rows, key=_order)),
        tuple(ranked.lines),
        tuple(judges) if len(judges) > 1 else (),
        len({summary.aggregates.n_expected for summary in summaries}) == 1,
        len({kb_lang(run.config) for run in runs}) == 1,
    )


def by_name(run: RunFigures) -> tuple[str, str]:
    """Sort runs in an order that does not depend on their figures or on how they were given."""
    return run.name, str(run.folder)


def ranked_runs(runs: Sequence[RunFigures], summaries: Sequence[Summary], min_coverage: float) -> Placed:
    """Return the ranks of runs by their place, from a summary of each; the order of the runs changes none of them."""
    places = sorted(range(len(runs)), key=lambda place: by_name(runs[place]))
    shown = [summaries[place].covered(min_coverage) for place in places]
    seed = min((runs[place].seed for place, there in zip(places, shown, strict=True) if there), default=0)
    ranked = rank_groups([summaries[place].grades for place in places], shown, seed)
    return ranked.at(places)


def _order(row: ResultRow) -> tuple[bool, float, tuple[str, str]]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the run's name."""
    return row.withheld, -(row.summary.aggregates.weighted_score or 0.0), by_name(row.run)
