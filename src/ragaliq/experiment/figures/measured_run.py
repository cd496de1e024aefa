"""The values of one TREC run, and runs compared with a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.comparison import compare_tables
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.standings import Comparison, ComparisonSettings
from ragaliq.compare.value_table import TableMetric, measure_table
from ragaliq.experiment.figures.diagnoses import Beside, Diagnosis, diagnose
from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.metrics.statistics.intervals import Interval, mean_interval

_JUDGED = ("Judged", "Hole")
# Measures of which less is better; a comparison of them is turned round.
_LESS_IS_BETTER = ("Hole",)


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A run's values.

    Attributes:
        name: what the run is called, such as its file.
        measures: what is shown.
        beside: shares of judged documents, which tell how far the others can be trusted.
        evaluation: the values of both.
        findings: what looks wrong, a line each.
        depth: documents of the longest ranking; 0 if not known.
        n_judged: judged documents of each query of the evaluation; empty if not known.
    """

    name: str
    measures: tuple[Measure, ...]
    beside: tuple[Measure, ...]
    evaluation: Evaluation
    findings: tuple[str, ...] = ()
    depth: int = 0
    n_judged: tuple[int, ...] = ()

    def interval(self, measure: Measure) -> Interval | None:
        """Return the 95 % bootstrap interval of a mean over queries."""
        return mean_interval(self.evaluation.values[str(measure)].tolist())

    def diagnoses(self) -> list[Diagnosis]:
        """Return what the means show about where the run loses."""
        means = {str(measure): self.evaluation.mean(str(measure)) for measure in (*self.measures, *self.beside)}
        missing = self.evaluation.n_missing / max(1, len(self.evaluation.query_ids))
        return diagnose(means, Beside(missing=missing, depth=self.depth, attainable=self.attainable()))

    def attainable(self) -> dict[str, float]:
        """Return `Beside.attainable`; empty if not known."""
        n = len(self.n_judged)
        return {
            str(measure): sum(min(measure.cutoff, count) for count in self.n_judged) / (measure.cutoff * n)
            for measure in self.beside
            if measure.cutoff and n
        }


def judged_beside(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return `Judged` at the cutoffs of measures, at 10 where none has one.

    An unjudged document counts as not relevant, so values are lower bounds as far as documents are unjudged.
    """
    cutoffs = {measure.cutoff for measure in measures if measure.cutoff and measure.name not in _JUDGED}
    return tuple(Measure("Judged", cutoff) for cutoff in sorted(cutoffs or {10}))


def compare_runs(runs: Sequence[MeasuredRun], seed: int = 0) -> Comparison:
    """Compare runs under the same judgements with the first one: a section for each measure.

    The p values of a measure are corrected by Holm's method for the number of runs. Measures are not counted: each asks
    a question of its own, and the first one decides.
    """
    families = []
    for measure in runs[0].measures:
        name = str(measure)
        metric = TableMetric(name, measure.meaning, measure.name in _LESS_IS_BETTER)
        columns = [run.evaluation.values[name] for run in runs]
        families.append([measure_table(metric, runs[0].evaluation.query_ids, [run.name for run in runs], columns)])
    return compare_tables(families, ComparisonSettings(seed, all_pairs=False))


def run_sources(runs: Sequence[MeasuredRun]) -> Sources:
    """Return runs under the same judgements as systems with values of the first measure, in one language."""
    measure = runs[0].measures[0]
    systems = []
    for run in runs:
        values = run.evaluation.values[str(measure)].tolist()
        by_query = {QueryKey(query): value for query, value in zip(run.evaluation.query_ids, values, strict=True)}
        systems.append({"": SystemValues(run.name, "", by_query, n_expected=len(by_query))})
    # A measure divided by a greedy ideal (alpha_nDCG) may be above 1, and how far nobody knows.
    greatest = max((value for run in runs for value in run.evaluation.values[str(measure)].tolist()), default=1.0)
    known = greatest <= 1.0
    metric = TableMetric(
        str(measure), measure.meaning, measure.name in _LESS_IS_BETTER, max(1.0, greatest), known=known
    )
    return Sources(metric, tuple(systems))
