"""Prediction-powered inference: hand-worked values, invariances, coverage in a small simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ragaliq.metrics.statistics.prediction_powered import LEAST_LABELLED, PredictionPowered, Values, prediction_powered

Array = NDArray[np.float64]


def study(seed: int, n: int, others: int, bias: float = -0.1) -> tuple[Values, Values, Array]:
    """Labels, a judge's values of them, and a judge's values alone; the true mean is .5."""
    rng = np.random.default_rng(seed)
    truth = rng.choice([0.0, 0.5, 1.0], size=n + others)
    judged = np.where(rng.random(n + others) < 0.8, truth, rng.choice([0.0, 0.5, 1.0], size=n + others)) + bias
    return Values(judged[:n], range(n), truth[:n]), Values(judged[n:], range(n, n + others)), truth


def estimated(labelled: Values, unlabelled: Values, seed: int = 0) -> PredictionPowered:
    found = prediction_powered(labelled, unlabelled, seed=seed)
    assert found is not None
    return found


def test_classical_and_judge_only_are_student_intervals() -> None:
    labelled, unlabelled, _ = study(0, 40, 200)
    found = estimated(labelled, unlabelled)
    for estimate, values in (
        (found.classical, np.asarray(labelled.labelled)),
        (found.judge_only, np.concatenate([np.asarray(labelled.judged), np.asarray(unlabelled.judged)])),
    ):
        low, high = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
        assert estimate.n == len(values) and estimate.mean == pytest.approx(values.mean())
        assert estimate.interval == pytest.approx((low, high))


def test_the_estimate_is_the_formula_of_the_source_with_each_row_s_own_power() -> None:
    labelled, unlabelled, _ = study(1, 10, 30)
    found = estimated(labelled, unlabelled)
    y, f, g = (np.asarray(v) for v in (labelled.labelled, labelled.judged, unlabelled.judged))
    # Ten rows in ten folds: each row's power comes from the nine others.
    powers = []
    for row in range(10):
        others = np.arange(10) != row
        together = np.cov(y[others], f[others])[0, 1]
        spread = np.var(np.concatenate([f[others], g]))
        powers.append(min(1.0, max(0.0, together / ((1 + 9 / 30) * spread))))
    power = np.array(powers)
    assert found.power == pytest.approx(power.mean()) and 0 < found.power <= 1
    assert found.prediction_powered.mean == pytest.approx(power.mean() * g.mean() + (y - power * f).mean())
    rest = y - power * f
    error = np.sqrt(rest.var(ddof=1) / 10 + power.mean() ** 2 * g.var(ddof=1) / 30)
    interval = found.prediction_powered.interval
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(2 * stats.t.ppf(0.975, 9) * error)


def test_a_constant_bias_of_the_judge_does_not_move_the_estimate() -> None:
    straight = estimated(*study(2, 60, 300, bias=0.0)[:2])
    biased = estimated(*study(2, 60, 300, bias=-0.3)[:2])
    assert biased.prediction_powered.mean == pytest.approx(straight.prediction_powered.mean)
    assert biased.judge_only.mean == pytest.approx(straight.judge_only.mean - 0.3)


def test_a_useless_judge_is_left_alone_and_a_perfect_one_is_used() -> None:
    rng = np.random.default_rng(4)
    y, noise = rng.random(80), rng.random(480)
    useless = estimated(Values(noise[:80], range(80), y), Values(noise[80:], range(80, 480)))
    assert useless.power < 0.2
    good = estimated(Values(y, range(80), y), Values(noise[80:], range(80, 480)))
    assert good.power == pytest.approx(1 / (1 + 80 / 400), abs=0.1)
    width = {name: found.prediction_powered.interval for name, found in (("useless", useless), ("good", good))}
    assert width["useless"] and width["good"]
    assert width["good"].high - width["good"].low < 0.6 * (width["useless"].high - width["useless"].low)
    constant = estimated(Values([0.5] * 80, range(80), y), Values([0.5] * 90, range(80, 170)))
    assert constant.power == 0 and constant.prediction_powered.mean == pytest.approx(y.mean())
    assert constant.judge_only.interval is None and constant.shift is None


def test_rows_of_one_query_are_one_piece_of_evidence() -> None:
    labelled, unlabelled, _ = study(5, 40, 200)
    once = estimated(labelled, unlabelled)

    def doubled(values: Values) -> Values:
        return Values(list(values.judged) * 2, [*values.clusters] * 2, list(values.labelled) * 2)

    twice = estimated(doubled(labelled), doubled(unlabelled))
    assert twice.n_clusters == once.n_clusters == 40
    assert twice.classical.interval == pytest.approx(once.classical.interval)
    ours, theirs = twice.prediction_powered.interval, once.prediction_powered.interval
    assert ours and theirs and ours.high - ours.low == pytest.approx(theirs.high - theirs.low, rel=0.05)


def test_a_query_labelled_in_one_language_is_not_independent_of_its_twin() -> None:
    labelled, unlabelled, _ = study(6, 100, 100)
    apart = estimated(labelled, unlabelled).prediction_powered.interval
    # The unlabelled rows are the twins of the labelled ones: the two terms pull the same way less often than apart.
    twins = Values(labelled.judged, labelled.clusters)
    joined = estimated(labelled, twins).prediction_powered.interval
    separate = estimated(labelled, Values(labelled.judged, range(100, 200))).prediction_powered.interval
    assert apart and joined and separate
    assert joined.high - joined.low > 1.1 * (separate.high - separate.low)


def test_order_and_names_do_not_matter_and_seeds_move_little() -> None:
    labelled, unlabelled, _ = study(7, 60, 200)
    found = estimated(labelled, unlabelled)
    assert estimated(labelled, unlabelled) == found
    other = estimated(labelled, unlabelled, seed=9)
    assert other.prediction_powered.mean == pytest.approx(found.prediction_powered.mean, abs=0.01)


def test_labels_from_another_draw_are_seen() -> None:
    labelled, unlabelled, _ = study(8, 60, 400)
    fair = estimated(labelled, unlabelled).shift
    picked = Values(np.asarray(labelled.judged) + 0.4, labelled.clusters, labelled.labelled)
    strange = estimated(picked, unlabelled).shift
    assert fair is not None and abs(fair) < 3
    assert strange is not None and strange > 3


def test_too_little_has_no_estimate_and_wrong_values_are_refused() -> None:
    labelled, unlabelled, _ = study(9, LEAST_LABELLED, 30)
    assert prediction_powered(labelled, unlabelled) is not None
    fewer = Values(labelled.judged, [0, 0, *range(2, LEAST_LABELLED)], labelled.labelled)
    assert prediction_powered(fewer, unlabelled) is None
    assert prediction_powered(labelled, Values([], [])) is None
    assert prediction_powered(labelled, Values([0.1, 0.2], ["q", "q"])) is None
    with pytest.raises(ValueError, match="a labelled row needs"):
        prediction_powered(Values([0.1], ["q"]), Values([0.1], ["r"]))
    with pytest.raises(ValueError, match="finite"):
        prediction_powered(Values([float("nan")], ["q"], [0.1]), Values([0.1], ["r"]))


def test_labels_without_spread_have_no_interval() -> None:
    found = estimated(Values([1.0] * 20, range(20), [1.0] * 20), Values([1.0, 0.8] * 20, range(20, 60)))
    assert found.classical.mean == 1 and found.classical.interval is None


def test_possible_values_add_one_label_to_the_intervals_and_leave_the_estimates() -> None:
    labelled, unlabelled, _ = study(11, 24, 200)
    plain = estimated(labelled, unlabelled)
    found = prediction_powered(labelled, unlabelled, possible=(0.0, 0.5, 1.0))
    assert found is not None and found.judge_only == plain.judge_only
    y = np.asarray(labelled.labelled)
    extra = np.mean((np.array([0, 0.5, 1]) - y.mean()) ** 2) / 25**2
    half = stats.t.ppf(0.975, 23) * np.sqrt(y.var(ddof=1) / 24 + extra)
    centre = y.mean() + (0.5 - y.mean()) / 25
    assert found.classical.mean == pytest.approx(y.mean())
    assert found.classical.interval == pytest.approx((centre - half, centre + half))
    assert found.prediction_powered.mean == plain.prediction_powered.mean


def test_labels_that_are_all_the_same_leave_room_for_others() -> None:
    same = Values([1.0] * 20, range(20), [1.0] * 20)
    found = prediction_powered(same, Values([1.0, 0.8] * 20, range(20, 60)), possible=(0.0, 0.5, 1.0))
    assert found is not None and found.classical.mean == 1
    interval = found.classical.interval
    assert interval is not None and interval.low < 0.95 and interval.high > 1


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say_and_the_judge_s_do_not() -> None:
    held = np.zeros(3)
    for seed in range(400):
        labelled, unlabelled, _ = study(seed, 60, 300)
        found = estimated(labelled, unlabelled, seed)
        estimates = (found.classical, found.judge_only, found.prediction_powered)
        held += [e.interval is not None and e.interval.low <= 0.5 <= e.interval.high for e in estimates]
    # 95 % of 400 is 380 with a standard error of 4.4.
    assert held[0] >= 367 and held[2] >= 367
    assert held[1] < 100


def test_differences_between_two_systems_are_estimated_alike() -> None:
    one, other = study(20, 60, 300), study(21, 60, 300)
    labelled = Values(
        np.asarray(other[0].judged) - np.asarray(one[0].judged),
        range(60),
        np.asarray(other[0].labelled) - np.asarray(one[0].labelled),
    )
    unlabelled = Values(np.asarray(other[1].judged) - np.asarray(one[1].judged), range(60, 360))
    found = estimated(labelled, unlabelled)
    interval = found.prediction_powered.interval
    assert interval is not None and interval.low < 0 < interval.high
    assert found.classical.interval is not None
    assert interval.high - interval.low < found.classical.interval.high - found.classical.interval.low


def test_weights_give_each_system_its_share() -> None:
    # Two systems with 100 answers each: the judge adds .2 to the second, which has 10 of 40 labels.
    y, bias = [0.0, 1.0] * 20, [0.0] * 30 + [0.2] * 10
    f = [label + extra for label, extra in zip(y, bias, strict=True)]
    g = [0.0, 1.0] * 35 + [0.2, 1.2] * 45
    weights, others = [100 / 30] * 30 + [100 / 10] * 10, [100 / 70] * 70 + [100 / 90] * 90
    clusters = list(range(200))
    found = estimated(Values(f, clusters[:40], y, weights), Values(g, clusters[40:], (), others))
    assert found.classical.mean == pytest.approx(0.5)
    # mean f = .5 + .1 with equal shares on both sides: whatever λ, the estimate is .5.
    assert found.prediction_powered.mean == pytest.approx(0.5, abs=0.01)
    unweighted = estimated(Values(f, clusters[:40], y), Values(g, clusters[40:]))
    assert unweighted.prediction_powered.mean > 0.52
    same = estimated(Values(f, clusters[:40], y, [2.0] * 40), Values(g, clusters[40:], (), [5.0] * 160))
    assert same == unweighted
    for wrong in ([1.0] * 39, [0.0] + [1.0] * 39, [float("nan")] * 40):
        with pytest.raises(ValueError, match="weights are finite numbers above 0"):
            prediction_powered(Values(f, clusters[:40], y, wrong), Values(g, clusters[40:]))
