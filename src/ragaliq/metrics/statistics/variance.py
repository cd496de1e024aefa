"""How much of a mean's doubt comes from queries, from the reader's draws and from the judge's.

A nested random-effects design: queries, answers that the reader drew to each, verdicts that the judge drew on each
answer. Variances by the method of moments: each observed sum of squares is set equal to its expectation, which also
holds where the numbers of draws differ (Searle, Casella and McCulloch 1992, Variance Components, section 5.3:
Henderson's method 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean
from typing import NamedTuple

QUERIES, READER, JUDGE = "queries", "reader draws", "judge draws"


class Observation(NamedTuple):
    """One verdict's value; several of the same query and answer are the judge's draws."""

    query_id: str
    answer: str
    value: float


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variances of one value of one draw, by where they come from.

    What the design does not tell apart is None; what it tells only together is `unsplit`.

    Attributes:
        n: number of observations.
        n_queries: number of queries.
        n_answers: number of answers, over all queries.
        queries: variance between queries, of what reader and judge would give on average.
        reader_draws: variance between the reader's answers to one query.
        judge_draws: variance between the judge's verdicts on one answer.
        unsplit: the variance of the sources in `unsplit_sources` together.
        unsplit_sources: which sources these are; () where all are told apart.
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

    def standard_error(self, queries: int, answers: int = 1, verdicts: int = 1) -> float | None:
        """Return that of a mean over `queries`, with so many answers to each and verdicts on each answer.

        None where a variance is not known.
        """
        parts = (self.queries, self.reader_draws, self.judge_draws)
        if parts[0] is None or parts[1] is None or parts[2] is None:
            return None
        return sqrt((parts[0] + (parts[1] + parts[2] / verdicts) / answers) / queries)


def variance_components(observations: Sequence[Observation]) -> VarianceComponents:
    """Split the variance of values into queries, reader draws and judge draws.

    The reader's part needs a query with several answers, the judge's an answer with several verdicts, that of the
    queries two queries. Without several verdicts the judge's part stays in that of the reader (`unsplit`), without
    several answers the reader's in that of the queries. A query is taken as a draw from all queries there could be.
    """
    table: dict[str, dict[str, list[float]]] = {}
    for query_id, answer, value in sorted(observations):
        table.setdefault(query_id, {}).setdefault(answer, []).append(value)
    n, queries, answers = len(observations), len(table), sum(map(len, table.values()))
    found = _moments(table, n)
    several_answers, several_verdicts = answers > queries, n > answers
    names = (QUERIES, READER, JUDGE)
    cut = tuple(name for name, part in zip(names, found, strict=True) if part is not None and part < 0)
    by_query, by_answer, by_verdict = (None if part is None else max(0.0, part) for part in found)
    unsplit: float | None = None
    sources: tuple[str, ...] = ()
    if several_answers and not several_verdicts:
        unsplit, sources, by_answer = by_answer, (READER, JUDGE), None
    elif not several_answers and by_query is not None:
        unsplit, sources, by_query = by_query, (QUERIES, READER) if several_verdicts else names, None
    return VarianceComponents(n, queries, answers, by_query, by_answer, by_verdict, unsplit, sources, cut)


def _moments(table: Mapping[str, Mapping[str, Sequence[float]]], n: int) -> tuple[float | None, ...]:
    """Return the estimates for queries, answers and verdicts; what a level cannot tell is left in the one above it."""
    totals = {query: fsum(value for verdicts in drawn.values() for value in verdicts) for query, drawn in table.items()}
    sizes = {query: sum(map(len, drawn.values())) for query, drawn in table.items()}
    answers = [(query, verdicts) for query, drawn in table.items() for verdicts in drawn.values()]
    # Each level's sum of squares about the mean of the level above.
    of_query = {query: totals[query] / sizes[query] for query in table}
    within = fsum((value - fmean(verdicts)) ** 2 for _, verdicts in answers for value in verdicts)
    between = fsum(len(verdicts) * (fmean(verdicts) - of_query[query]) ** 2 for query, verdicts in answers)
    grand = fsum(totals.values()) / n if n else 0.0
    above = fsum(sizes[query] * (of_query[query] - grand) ** 2 for query in table)
    # How often the reader's variance is in the sums of squares: Σ nᵢⱼ² / nᵢ and Σ nᵢⱼ² / n.
    share = fsum(len(verdicts) ** 2 / sizes[query] for query, verdicts in answers)
    free_queries, free_answers, free_verdicts = len(table) - 1, len(answers) - len(table), n - len(answers)
    verdict = within / free_verdicts if free_verdicts else None
    answer = (between - free_answers * (verdict or 0.0)) / (n - share) if free_answers else None
    if free_queries < 1:
        return None, answer, verdict
    twice = share - fsum(len(verdicts) ** 2 for _, verdicts in answers) / n
    rest = above - free_queries * (verdict or 0.0) - twice * (answer or 0.0)
    return rest / (n - fsum(size**2 for size in sizes.values()) / n), answer, verdict
