"""The runs of one language, best first, and which of their ranks the data tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.aggregate.cross_lingual import kb_lang
from ragaliq.aggregate.grades.query_grades import judge_names, judges_of
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.summary import Summary
from ragaliq.compare.rank_groups import Placed, rank_groups
from ragaliq.compare.sources.planned_looks import recorded_looks
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """A run in the table of one language; its headline is withheld where too few answers have a grade.

    `selection` is the share of resamples of the queries in which it comes first among those that it is ranked with.
    """

    run: RunFigures
    summary: Summary
    withheld: bool
    ranks: RankSet | None
    selection: float | None = None

    @property
    def score(self) -> float | None:
        """The weighted score; None where it is withheld."""
        return None if self.withheld else self.summary.aggregates.weighted_score

    @property
    def ci(self) -> Interval | None:
        """The 95 % interval of the score; None where that is withheld."""
        return None if self.withheld else self.summary.aggregates.weighted_score_ci

    @property
    def new_sample(self) -> Interval | None:
        """The 95 % interval of the score on as many other queries; None where the score is withheld."""
        return None if self.withheld else self.summary.aggregates.new_sample_ci

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
    rows: tuple[LanguageRow, ...]
    ranking: tuple[str, ...]
    judges: tuple[str, ...]
    same_queries: bool
    same_documents: bool


def language_tables(runs: Sequence[RunFigures], min_coverage: float) -> list[LanguageTable]:
    """Return the table of each language, with the runs that have it; all tables are ranked together."""
    langs = dict.fromkeys(lang for run in runs for lang in run.summaries)
    within = [[run for run in runs if lang in run.summaries] for lang in langs]
    summaries = [[run.summaries[lang] for run in own] for lang, own in zip(langs, within, strict=True)]
    ranked = ranked_runs(list(zip(within, summaries, strict=True)), min_coverage)
    return [
        _table(lang, result_rows(*own, placed, min_coverage), placed)
        for lang, own, placed in zip(langs, zip(within, summaries, strict=True), ranked, strict=True)
    ]


def result_rows(
    runs: Sequence[RunFigures], summaries: Sequence[Summary], placed: Placed, min_coverage: float
) -> list[LanguageRow]:
    """Return a row for each run, in their order."""
    return [
        LanguageRow(
            run, summary, not summary.covered(min_coverage), placed.ranks.get(place), placed.selection.get(place)
        )
        for place, (run, summary) in enumerate(zip(runs, summaries, strict=True))
    ]


def _table(lang: str, rows: Sequence[LanguageRow], placed: Placed) -> LanguageTable:
    judges = judge_names(judges_of(row.summary.grades for row in rows))
    return LanguageTable(
        lang,
        tuple(sorted(rows, key=_order)),
        tuple(placed.lines),
        tuple(judges) if len(judges) > 1 else (),
        len({row.summary.aggregates.n_expected for row in rows}) == 1,
        len({kb_lang(row.run.config) for row in rows}) == 1,
    )


def by_name(run: RunFigures) -> tuple[str, str]:
    """Sort runs in an order that does not depend on their figures or on how they were given."""
    return run.name, str(run.folder)


def ranked_runs(tables: Sequence[tuple[Sequence[RunFigures], Sequence[Summary]]], min_coverage: float) -> list[Placed]:
    """Return the ranks of the runs of each table by their place, from a summary of each, all tables together.

    The order of the runs changes none of them. They are at the level of each of the looks that a run was planned with,
    the most of any.
    """
    orders = [sorted(range(len(runs)), key=lambda place: by_name(runs[place])) for runs, _ in tables]
    graded, seeds = [], []
    for (runs, summaries), places in zip(tables, orders, strict=True):
        shown = [summaries[place].covered(min_coverage) for place in places]
        seeds += [runs[place].seed for place, there in zip(places, shown, strict=True) if there]
        graded.append(([summaries[place].grades for place in places], shown))
    looks = [recorded_looks(run.config, str(run.folder.config_file)) for runs, _ in tables for run in runs]
    ranked = rank_groups(graded, min(seeds, default=0), max(looks, default=1))
    return [placed.at(places) for placed, places in zip(ranked, orders, strict=True)]


def _order(row: LanguageRow) -> tuple[bool, float, tuple[str, str]]:
    """Sort by weighted score, best first; withheld headlines come last; ties by the run's name."""
    return row.withheld, -(row.summary.aggregates.weighted_score or 0.0), by_name(row.run)
