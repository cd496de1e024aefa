"""Draw of pairs and figures of the audit together: bias and coverage on benchmarks whose every pair is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from ragaliq.build.audit.corrected_rates import corrected_rates
from ragaliq.build.audit.judge_quality import judge_quality
from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.review.sampling import Place, drawn
from ragaliq.review.sources.support import sampled_pairs
from ragaliq.types import ReviewedSupport, SupportReview

Truth = dict[Place, tuple[bool, bool]]


def made(lang: str, queries: int, missed: Mapping[int, float], rng: np.random.Generator) -> Truth:
    """Pairs with the model's label and a person's; `missed`: pairs of a query → share of them that the model misses."""
    truth: Truth = {}
    for query in range(queries):
        pairs = int(rng.choice(list(missed)))
        lost, right = missed[pairs], rng.beta(8, 2)
        for number in range(pairs):
            # Some queries have no supported pair.
            supported = bool(query % 9) and (number == 0 or rng.random() < 0.2)
            person = bool(rng.random() < (right if supported else lost))
            query_id = f"q{query:03}"
            truth[Place("", lang, query_id, f"{query_id}-{number % 2} d{number:02}")] = supported, person
    return truth


def counts_of(truth: Truth) -> dict[tuple[str, str], PairCounts]:
    cells = Counter(((place.lang, place.query_id), supported) for place, (supported, _) in truth.items())
    return {key: PairCounts(cells[key, True], cells[key, False], 2) for key, _ in cells}


def reviewed(truth: Truth, size: int, seed: int) -> list[ReviewedSupport]:
    """What a person says of the first pairs of the order."""
    labels = {place: supported for place, (supported, _) in truth.items()}
    pool: list[Place] = []
    for lang in sorted({place.lang for place in truth}):
        pool += sampled_pairs({place: label for place, label in labels.items() if place.lang == lang}, seed)
    rows = []
    for place in drawn(pool, seed, size, lambda place: str(labels[place])):
        nugget_id, _, doc_id = place.item.partition(" ")
        label = SupportReview.RELEVANT if truth[place][1] else SupportReview.NOT
        rows.append(ReviewedSupport(place.query_id, place.lang, "", nugget_id, doc_id, label, labels[place]))
    return rows


def figures(
    rows: list[ReviewedSupport], population: Mapping[tuple[str, str], PairCounts]
) -> dict[str, tuple[float | None, Interval | None]]:
    quality = judge_quality(rows, population, False)
    share, per_nugget = corrected_rates(rows, population, False)
    return {
        "precision": (quality.precision.value, quality.precision.interval),
        "missed": (quality.missed.value, quality.missed.interval),
        "recall": (quality.recall, quality.recall_interval),
        "share": (share.corrected, share.interval),
        "documents": (per_nugget.corrected, per_nugget.interval),
    }


def true_figures(truth: Truth, population: Mapping[tuple[str, str], PairCounts]) -> dict[str, float]:
    cells = Counter(truth.values())
    people = Counter((place.lang, place.query_id) for place, (_, person) in truth.items() if person)
    sizes = {key: counts.supported + counts.unsupported for key, counts in population.items()}
    right, found, lost = cells[True, True], cells[True, True] + cells[True, False], cells[False, True]
    return {
        "precision": right / found,
        "missed": lost / (lost + cells[False, False]),
        "recall": right / (right + lost),
        "share": float(np.mean([people[key] / sizes[key] for key in sizes])),
        "documents": float(np.mean([people[key] / 2 for key in sizes])),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("langs", "missed", "size", "least"),
    [
        ({"ru": 150}, {10: 0.2, 20: 0.1, 40: 0.05}, 120, 0.93),
        # Ten times as many pairs, a seventh of the share: few pairs weigh most in a mean over queries.
        ({"de": 150, "zh": 60}, {4: 0.35, 12: 0.15, 40: 0.05}, 160, 0.9),
    ],
)
def test_figures_of_a_random_beginning_are_right_in_the_mean_and_their_intervals_cover(
    langs: Mapping[str, int], missed: Mapping[int, float], size: int, least: float
) -> None:
    rng = np.random.default_rng(19)
    truth: Truth = {}
    for lang, queries in langs.items():
        truth |= made(lang, queries, missed, rng)
    population = counts_of(truth)
    expected, runs = true_figures(truth, population), 400
    errors: dict[str, list[float]] = {}
    covered: Counter[str] = Counter()
    for seed in range(runs):
        for name, (value, interval) in figures(reviewed(truth, size, seed), population).items():
            assert value is not None and interval is not None
            errors.setdefault(name, []).append(value - expected[name])
            covered[name] += interval.low <= expected[name] <= interval.high
    for name, own in errors.items():
        bias, doubt = float(np.mean(own)), float(np.std(own)) / runs**0.5
        print(name, f"{expected[name]:.3f} {bias:+.4f} ± {doubt:.4f} {covered[name] / runs:.3f}")
        # Documents per nugget are on another scale: relative to their size.
        assert abs(bias) < 0.01 * max(1.0, expected[name]) + 2 * doubt, name
        assert least <= covered[name] / runs <= 0.995, name
