"""The language gap: one system, the same queries asked in several languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.ranks.rank_sets import Pair, RankSet, simultaneous
from ragaliq.metrics.weights import WEIGHTS

# An answer that fails: wrong (1), mostly wrong (2), or none (0).
FAILED_WEIGHT = WEIGHTS[0]


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """A system in one language.

    Attributes:
        lang: the language.
        mean_weight: over the shared queries, in 0..1.
        ranks: the ranks among the languages that the data leave open, 1 being the best.
        fails_only: the shared queries that fail in this language and in no other, sorted.
    """

    lang: str
    mean_weight: float
    ranks: RankSet
    fails_only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageDifference:
    """One language against another, over the shared queries.

    `difference` is the mean weight in `lang` less that in `against`. Interval and p value are for all pairs of
    languages at once, so that choosing the best language after the fact is allowed for. The p value steps down and the
    interval takes one step, so that it may hold 0 where the p value is small; it is None where the
    two have the same weight on every query, or the queries are too few to say anything.
    """

    lang: str
    against: str
    difference: float
    interval: Interval | None
    p: float


@dataclass(frozen=True, slots=True)
class LanguageGap:
    """A system's languages compared on the queries that have a weight in all of them.

    Attributes:
        n: number of these queries.
        baseline: the language that the others are compared with: that of the greatest mean, of equal ones the first.
        languages: the figures of each language, in the order of `weights`.
        differences: each other language against the baseline, in the order of `weights`.
        pairs: all pairs of languages, the second against the first.
        n_fails_everywhere: number of the queries that fail in all languages.
    """

    n: int
    baseline: str
    languages: tuple[LanguageResult, ...]
    differences: tuple[LanguageDifference, ...]
    pairs: tuple[LanguageDifference, ...]
    n_fails_everywhere: int


def language_gap(weights: Mapping[str, Mapping[str, float]], seed: int = 0) -> LanguageGap | None:
    """Compare the languages of one system, query by query.

    `weights[lang][query_id]` is the weight of an answer's grade; a query id names the same question in every language.
    A query fails where its weight is at most .4, which is a grade of 0, 1 or 2. Differences are tested by
    `simultaneous`. None for fewer than two languages or two shared queries, and where the queries that all
    languages share are fewer than half of those of one of them: such ids name other questions, or too little is graded.
    """
    langs = list(weights)
    shared = sorted(set.intersection(*map(set, weights.values()))) if langs else []
    if len(langs) < 2 or len(shared) < 2 or any(2 * len(shared) < len(graded) for graded in weights.values()):
        return None
    table = np.asarray([[weights[lang][query_id] for lang in langs] for query_id in shared], dtype=np.float64)
    compared = simultaneous(table, seed=seed)
    means = [fmean(table[:, column].tolist()) for column in range(len(langs))]
    fails = table <= FAILED_WEIGHT
    alone = fails.sum(axis=1) == 1
    results = tuple(
        LanguageResult(
            lang,
            means[column],
            compared.ranks[column],
            tuple(query_id for query_id, here in zip(shared, alone & fails[:, column], strict=True) if here),
        )
        for column, lang in enumerate(langs)
    )
    best = means.index(max(means))
    return LanguageGap(
        len(shared),
        langs[best],
        results,
        tuple(_against(best, pair, langs) for pair in compared.pairs if best in (pair.a, pair.b)),
        tuple(_against(pair.a, pair, langs) for pair in compared.pairs),
        int(fails.all(axis=1).sum()),
    )


def _against(baseline: int, pair: Pair, langs: list[str]) -> LanguageDifference:
    """Return a pair as the difference of the other language from `baseline`."""
    if baseline == pair.a:
        return LanguageDifference(langs[pair.b], langs[pair.a], pair.difference, pair.interval, pair.p_max_t)
    turned = pair.interval.mirrored if pair.interval else None
    return LanguageDifference(langs[pair.a], langs[pair.b], 0.0 - pair.difference, turned, pair.p_max_t)
