"""Systems over all languages: one row each, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragaliq.aggregate.beside.groundedness import Groundedness
from ragaliq.aggregate.grades.query_grades import QueryGrades, QueryKey
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.aggregate.summary import Summary
from ragaliq.compare.overview.cost import Cost, reader_cost
from ragaliq.compare.overview.language_tables import LanguageRow, LanguageTable, by_name, ranked_runs, result_rows
from ragaliq.compare.rank_sets import Ranking
from ragaliq.compare.standings import ALL
from ragaliq.metrics.answers.abstention import AbstentionTable
from ragaliq.metrics.answers.aggregates import aggregate
from ragaliq.metrics.answers.language import language_consistency
from ragaliq.metrics.statistics.intervals import Interval, weight_interval
from ragaliq.metrics.statistics.lost_values import lost_interval
from ragaliq.metrics.weights import WEIGHTS


@dataclass(frozen=True, slots=True)
class SystemOverview:
    """One run in the summary.

    Attributes:
        by_lang: its row in the table of each of its languages.
        pooled: the same over the languages that all runs share; None where they share none. The languages of a query
            are one cluster.
        abstention: over all of its languages; None where every query is answerable.
        groundedness: likewise; None for a run that was never checked.
        seconds: median of the reader's seconds for an item of any language; None where nothing was timed.
    """

    run: RunFigures
    by_lang: Mapping[str, LanguageRow]
    pooled: LanguageRow | None
    abstention: AbstentionTable | None
    groundedness: Groundedness | None
    seconds: float | None
    cost: Cost | None


@dataclass(frozen=True, slots=True)
class Overview:
    """The summary of several runs.

    Attributes:
        systems: best first by the pooled mean weight; those whose pooled headline is withheld come last.
        languages: that any run has.
        pooled: the languages that all runs share.
        ranking: of the best system with those on its footing, over the shared languages; None where it is not ranked.
        level: the systems that `ranking` cannot tell apart from the best, in the order of `systems`.
    """

    systems: tuple[SystemOverview, ...]
    languages: tuple[str, ...]
    pooled: tuple[str, ...]
    ranking: Ranking | None
    level: tuple[str, ...]

    @property
    def order(self) -> tuple[RunFigures, ...]:
        """The runs in the order of every table over all languages."""
        return tuple(system.run for system in self.systems)


def overview_of(runs: Sequence[RunFigures], tables: Sequence[LanguageTable], min_coverage: float) -> Overview:
    """Return the summary of runs from the tables of their languages."""
    langs = tuple(table.lang for table in tables)
    shared = tuple(lang for lang in langs if all(lang in run.summaries for run in runs))
    rows: dict[str, dict[str, LanguageRow]] = {str(run.folder): {} for run in runs}
    for table in tables:
        for row in table.rows:
            rows[str(row.run.folder)][table.lang] = row
    summaries = [_pooled(run, shared) for run in runs] if shared else []
    # A family of its own: the tables of the languages share another.
    ranked = ranked_runs([(runs, summaries)], min_coverage)[0] if summaries else None
    pooled = result_rows(runs, summaries, ranked, min_coverage) if ranked else [None] * len(runs)
    systems = [_system(run, rows[str(run.folder)], own) for run, own in zip(runs, pooled, strict=True)]
    places = sorted(range(len(runs)), key=lambda place: _order(systems[place]))
    best = places[0]
    group, ranking = next((own for own in (ranked.rankings if ranked else ()) if best in own[0]), ((), None))
    apart = _told_apart(group.index(best), ranking) if ranking else set()
    level = {place for number, place in enumerate(group) if place != best and number not in apart}
    return Overview(
        tuple(systems[place] for place in places),
        langs,
        shared,
        ranking,
        tuple(runs[place].name for place in places if place in level),
    )


def _told_apart(column: int, ranking: Ranking) -> set[int]:
    """Return the columns of a ranking that differ from one of it for certain."""
    return {pair.a + pair.b - column for pair in ranking.certain if column in (pair.a, pair.b)}


def _order(system: SystemOverview) -> tuple[bool, float, tuple[str, str]]:
    """Sort by mean weight, best first; withheld headlines come last; ties by the run's name."""
    row = system.pooled
    if row is None:
        return True, 0.0, by_name(system.run)
    return row.withheld, -(row.summary.aggregates.mean_weight or 0.0), by_name(system.run)


def _system(run: RunFigures, by_lang: Mapping[str, LanguageRow], pooled: LanguageRow | None) -> SystemOverview:
    return SystemOverview(
        run,
        by_lang,
        pooled,
        run.abstention,
        run.groundedness,
        None if run.all_times is None else run.all_times.median,
        reader_cost(run.config, run.metrics),
    )


def _pooled(run: RunFigures, langs: Sequence[str]) -> Summary:
    """Return the aggregates over several languages; a language is an occurrence of its queries."""
    summaries = [run.summaries[lang] for lang in langs]
    answers = {
        QueryKey(asked.query, number): answer
        for number, own in enumerate(summaries, start=1)
        for asked, answer in own.grades.answers.items()
    }
    n_expected = sum(own.aggregates.n_expected or 0 for own in summaries)
    judges = tuple(sorted({judge for own in summaries for judge in own.grades.judges}))
    grades = QueryGrades(run.name, ALL, answers, judges, n_expected, run.data)
    graded = sorted((asked, answer.grade) for asked, answer in answers.items() if answer.grade is not None)
    aggregates = aggregate([answer.grade for answer in answers.values()], n_expected, run.seed)
    ends = weight_interval([grade for _, grade in graded], seed=run.seed, clusters=[asked.query for asked, _ in graded])
    names = " + ".join(sorted({own.judge for own in summaries if own.judge})) or None
    n_absent = max(n_expected - len(answers), 0)
    weights = [None if one.grade is None else WEIGHTS[one.grade] for one in answers.values()] + [None] * n_absent
    clusters = [*(asked.query for asked in answers), *(f"missing {place}" for place in range(n_absent))]
    lost = lost_interval(weights, 0.0, 1.0, seed=run.seed, clusters=clusters) if None in weights else ends
    clustered = replace(aggregates, weighted_score_ci=_squared(ends), weighted_score_bounds_ci=_squared(lost))
    return Summary(grades, names, clustered, language_consistency([]))


def _squared(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(interval.low**2, interval.high**2)
