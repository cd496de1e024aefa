"""Rates of support as people would give them: the model's labels of all queries, corrected by people's of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.build.audit.judge_quality import PairCounts, Population, counted_as, is_support
from ragaliq.metrics.statistics.intervals import mean_interval
from ragaliq.metrics.statistics.prediction_powered import MeanEstimate, Values, prediction_powered
from ragaliq.types import ReviewedSupport

# Language and query id → a rate.
_Rates = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A mean over queries, three times.

    Attributes:
        rate: `share of pairs supported`, or `documents per nugget`.
        counts_as: which labels of people count as support.
        reviewed: queries with a reviewed pair of either label that they have, in one language.
        queries: all queries with judged pairs, in one language.
        classical: from the reviewed queries alone; None if there are none.
        model: what the model says of all queries.
        prediction_powered: from both (PPI++); None where fewer than 10 queries are reviewed, or all are.
    """

    rate: str
    counts_as: str
    reviewed: int
    queries: int
    classical: MeanEstimate | None
    model: MeanEstimate | None
    prediction_powered: MeanEstimate | None


def corrected_rates(
    reviews: Sequence[ReviewedSupport], population: Population, partial: bool, seed: int = 0
) -> tuple[CorrectedRate, ...]:
    """Return both rates; `reviews` hold one judgement a pair.

    A query's rate as people see it is estimated from its reviewed pairs: among those that the model supports, and among
    the others, the mean of the reviewed ones stands for all. It is unbiased where these are a random draw of each kind;
    the reviewed queries are to be a random draw, too. A query in several languages is one cluster.
    """
    judged: dict[tuple[str, str, bool], list[bool]] = {}
    for one in reviews:
        judged.setdefault((one.lang, one.query_id, one.supported), []).append(is_support(one.label, partial))
    usable = {key: counts for key, counts in population.items() if counts.supported + counts.unsupported}
    numbers = {key: _people(key, counts, judged) for key, counts in usable.items()}
    sizes = {
        "share of pairs supported": {key: one.supported + one.unsupported for key, one in usable.items()},
        "documents per nugget": {key: one.nuggets for key, one in usable.items()},
    }
    rows = []
    for rate, size in sizes.items():
        people = {key: number / size[key] for key, number in numbers.items() if number is not None}
        model = {key: counts.supported / size[key] for key, counts in usable.items()}
        powered = _powered(people, model, seed)
        rows.append(
            CorrectedRate(rate, counted_as(partial), len(people), len(model), _mean(people), _mean(model), powered)
        )
    return tuple(rows)


def _people(
    key: tuple[str, str], counts: PairCounts, judged: Mapping[tuple[str, str, bool], Sequence[bool]]
) -> float | None:
    """Return the estimated number of pairs that people call supported; None if a kind of pairs has no reviewed one."""
    total = 0.0
    for supported, size in ((True, counts.supported), (False, counts.unsupported)):
        own = judged.get((*key, supported), ())
        if size and not own:
            return None
        total += size * sum(own) / len(own) if own else 0.0
    return total


def _powered(people: _Rates, model: _Rates, seed: int) -> MeanEstimate | None:
    others = [key for key in model if key not in people]
    labelled = Values([model[key] for key in people], [key[1] for key in people], list(people.values()))
    unlabelled = Values([model[key] for key in others], [key[1] for key in others])
    powered = prediction_powered(labelled, unlabelled, seed=seed)
    return powered.prediction_powered if powered else None


def _mean(values: _Rates) -> MeanEstimate | None:
    """Return the mean with its interval; None without values, and no interval where they do not differ."""
    if not values:
        return None
    numbers = list(values.values())
    ends = mean_interval(numbers, clusters=[query_id for _, query_id in values])
    return MeanEstimate(len(numbers), sum(numbers) / len(numbers), ends if len(set(numbers)) > 1 else None)
