"""How much of the variance of one draw's value comes from queries, and how much from the judge's draws.

Draws nested in queries, random effects. Variances by the method of moments: each observed sum of squares is set equal
to its expectation, which also holds where the numbers of draws differ (Searle, Casella and McCulloch 1992, Variance
Components, section 5.3: Henderson's method 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

QUERIES, READER, JUDGE = "queries", "reader draws", "judge draws"


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variances of one value of one draw, by where they come from.

    With one answer to each query, `queries` and `reader_draws` are not told apart and None; `unsplit` is both together.

    Attributes:
        n: number of draws.
        n_queries: number of queries.
        n_answers: number of answers, one for each query.
        queries: variance between queries, of what reader and judge would give on average.
        reader_draws: variance between the reader's answers to one query.
        judge_draws: variance between the judge's draws on one answer; None where no answer has several.
        unsplit: the variance of the sources in `unsplit_sources` together; None for fewer than two queries.
        unsplit_sources: which sources these are.
        cut: sources whose estimate was negative and stands as 0: they vary too little to be seen.
    """

    n: int
    n_queries: int
    n_answers: int
    queries: float | None
    reader_draws: float | None
    judge_draws: float | None
    unsplit: float | None
    unsplit_sources: tuple[str, ...]
    cut: tuple[str, ...]


def variance_components(draws: Mapping[str, Sequence[float]]) -> VarianceComponents:
    """Split the variance of the draws' values, by query; queries without a value do not count.

    Without several draws on an answer the judge's part stays in `unsplit`, too. A query is taken as a draw from all
    queries there could be.
    """
    drawn = [values for values in draws.values() if values]
    n, queries = sum(map(len, drawn)), len(drawn)
    within = fsum((value - fmean(values)) ** 2 for values in drawn for value in values)
    judge = within / (n - queries) if n > queries else None
    if queries < 2:
        return VarianceComponents(n, queries, queries, None, None, judge, None, (), ())
    grand = fsum(map(fsum, drawn)) / n
    between = fsum(len(values) * (fmean(values) - grand) ** 2 for values in drawn)
    rest = (between - (queries - 1) * (judge or 0.0)) / (n - fsum(len(values) ** 2 for values in drawn) / n)
    sources = (QUERIES, READER, JUDGE) if judge is None else (QUERIES, READER)
    cut = (QUERIES,) if rest < 0 else ()
    return VarianceComponents(n, queries, queries, None, None, judge, max(0.0, rest), sources, cut)
