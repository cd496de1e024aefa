"""Agreement of two graders: hand-worked values, independent packages, properties, intervals."""

from __future__ import annotations

import math
import warnings
from dataclasses import astuple, fields

import krippendorff
import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from irrCAC.raw import CAC
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score, f1_score, roc_auc_score

from ragaliq.metrics.agreement.coefficients import (
    RefusalAgreement,
    agreement,
    alpha_of_raters,
    confusion,
    measures,
)
from ragaliq.metrics.agreement.intervals import LEAST_CLUSTERS, agreement_intervals
from ragaliq.metrics.answers.aggregates import WEIGHTS

GRADES = list(range(6))
Paired = tuple[list[int], list[int]]
CLOSE = 1e-9


def random_grades(seed: int) -> Paired:
    """Two graders on 2 to 90 items; few of the six grades may be used, and by one side only."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 90))
    shares = rng.dirichlet(np.full(6, rng.choice([0.15, 0.5, 3.0])))
    first = rng.choice(6, size=n, p=shares)
    second = np.where(rng.random(n) < rng.random(), first, rng.choice(6, size=n, p=rng.dirichlet(np.ones(6))))
    return first.tolist(), second.tolist()


TABLES = [random_grades(seed) for seed in range(30)]


def same(ours: float | None, theirs: float) -> bool:
    return math.isnan(theirs) if ours is None else abs(ours - theirs) <= CLOSE


def test_the_random_tables_leave_grades_out_and_some_use_all() -> None:
    used = [len({*first, *second}) for first, second in TABLES]
    assert min(used) <= 2 and max(used) == 6


def test_hand_worked_values() -> None:
    verdicts, labels = [5, 5, 4, 3, 0, 0, 1, 2], [5, 4, 4, 5, 0, 1, 1, 0]
    found = agreement(verdicts, labels)
    assert found.n == 8
    assert found.exact == 4 / 8
    assert found.mae == (0 + 1 + 0 + 2 + 0 + 1 + 0 + 2) / 8
    assert found.bias == (0 + 1 + 0 - 2 + 0 - 1 + 0 + 2) / 8
    assert found.bias_weight == pytest.approx((0 + 0.2 + 0 - 0.4 + 0 + 0.4 + 0 - 0.2) / 8)
    assert found.refusal == RefusalAgreement(1 / 2, 1 / 2, 2 / 4)
    # Labels 5 have the verdicts 5 and 3, labels 3 and 4 the verdicts 5 and 4: a tie, and one win of four.
    assert found.auc_5_vs_34 == (0.5 + 1 + 0 + 0) / 4
    assert found.confusion[3][5] == 1 and found.confusion[5][3] == 0
    # Observed disagreement (0, 1, 0, 4, 0, 1, 0, 4); expected from the product of both sides' counts.
    expected = sum((v - label) ** 2 for v in verdicts for label in labels) / 8**2
    assert found.qwk == pytest.approx(1 - (10 / 8) / expected)
    tried, true = [5, 5, 4, 3, 1], [5, 4, 4, 5, 1]
    expected = sum((v - label) ** 2 for v in tried for label in true) / 5**2
    assert found.qwk_attempted == pytest.approx(1 - (5 / 5) / expected)
    expected = sum((WEIGHTS[v] - WEIGHTS[label]) ** 2 for v in verdicts for label in labels) / 8**2
    observed = sum((WEIGHTS[v] - WEIGHTS[label]) ** 2 for v, label in zip(verdicts, labels, strict=True)) / 8
    assert found.weight_kappa == pytest.approx(1 - observed / expected)


def test_quadratic_and_plain_kappa_are_those_of_scikit_learn() -> None:
    for verdicts, labels in TABLES:
        found = agreement(verdicts, labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quadratic = cohen_kappa_score(verdicts, labels, labels=GRADES, weights="quadratic")
            plain = cohen_kappa_score(verdicts, labels, labels=GRADES)
        assert same(found.qwk, quadratic) and same(found.cohen_kappa, plain)


def test_qwk_of_attempted_items_is_that_of_scikit_learn_without_the_zeros() -> None:
    compared = 0
    for verdicts, labels in TABLES:
        tried = [(v, label) for v, label in zip(verdicts, labels, strict=True) if v and label]
        if len({grade for pair in tried for grade in pair}) < 2:
            continue
        first, second = zip(*tried, strict=True)
        theirs = cohen_kappa_score(first, second, labels=GRADES, weights="quadratic")
        compared += 1
        assert same(agreement(verdicts, labels).qwk_attempted, theirs)
    assert compared > 10


def test_alpha_is_that_of_the_krippendorff_package_at_the_ordinal_level() -> None:
    compared = 0
    for verdicts, labels in TABLES:
        if len({*verdicts, *labels}) < 2:
            assert agreement(verdicts, labels).krippendorff_alpha is None
            continue
        theirs = krippendorff.alpha([verdicts, labels], level_of_measurement="ordinal", value_domain=GRADES)
        compared += 1
        assert same(agreement(verdicts, labels).krippendorff_alpha, float(theirs))
    assert compared > 14


def test_ac2_is_that_of_irrcac_over_all_six_grades() -> None:
    for verdicts, labels in TABLES[:12]:
        frame = pandas.DataFrame({"verdicts": verdicts, "labels": labels})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = CAC(frame, weights="quadratic", categories=GRADES, digits=15).gwet()["est"]["coefficient_value"]
        assert same(agreement(verdicts, labels).gwet_ac2, float(theirs))


def test_rank_correlation_auc_and_refusal_f1_are_those_of_scipy_and_scikit_learn() -> None:
    compared = 0
    for verdicts, labels in TABLES:
        found = agreement(verdicts, labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert same(found.spearman, float(spearmanr(verdicts, labels).statistic))
        good = [(v, label == 5) for v, label in zip(verdicts, labels, strict=True) if label >= 3]
        if len({is_five for _, is_five in good}) == 2:
            compared += 1
            assert same(found.auc_5_vs_34, float(roc_auc_score([five for _, five in good], [v for v, _ in good])))
        else:
            assert found.auc_5_vs_34 is None
        if 0 in verdicts or 0 in labels:
            theirs = f1_score([label == 0 for label in labels], [v == 0 for v in verdicts], zero_division=0)
            assert same(found.refusal.f1, float(theirs))
        else:
            assert found.refusal == RefusalAgreement(None, None, None)
    assert compared > 5


def test_a_judge_that_never_abstains_finds_no_refusal() -> None:
    assert agreement([1, 5], [0, 5]).refusal == RefusalAgreement(None, 0.0, 0.0)


def test_without_items_everything_is_undefined() -> None:
    found = agreement([], [])
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    assert values.pop("n") == 0 and values.pop("refusal") == RefusalAgreement(None, None, None)
    assert values.pop("confusion") == ((0,) * 6,) * 6
    assert set(values.values()) == {None}


def test_two_graders_with_one_grade_have_no_kappa_but_agree() -> None:
    found = agreement([4, 4, 4], [4, 4, 4])
    assert (found.qwk, found.cohen_kappa, found.krippendorff_alpha, found.spearman) == (None, None, None, None)
    assert (found.exact, found.mae, found.bias, found.gwet_ac2) == (1.0, 0.0, 0.0, 1.0)


def test_wrong_grades_are_refused() -> None:
    cases = (([1], [1, 2], "1 verdicts and 2 labels"), ([6], [1], "not 6"), ([1], [-1], "not -1"))
    for verdicts, labels, told in cases:
        with pytest.raises(ValueError, match=told):
            agreement(verdicts, labels)


pairs = st.lists(st.tuples(st.sampled_from(GRADES), st.sampled_from(GRADES)), max_size=40)


@settings(max_examples=30, deadline=None)
@given(pairs)
def test_swapping_the_sides_mirrors_what_has_a_direction_only(items: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in items], [b for _, b in items]
    one, other = agreement(first, second), agreement(second, first)
    for name in ("qwk", "qwk_attempted", "weight_kappa", "krippendorff_alpha", "gwet_ac2", "cohen_kappa", "spearman"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None) and (a is None or a == pytest.approx(b))
        assert a is None or a <= 1 + CLOSE
    assert (one.exact, one.mae) == (other.exact, other.mae)
    if items:
        assert one.bias == -other.bias  # type: ignore[operator]
    assert (one.refusal.precision, one.refusal.recall) == (other.refusal.recall, other.refusal.precision)


@settings(max_examples=20, deadline=None)
@given(pairs, st.randoms())
def test_the_order_of_the_items_does_not_matter(items: list[tuple[int, int]], random: object) -> None:
    mixed = sorted(items, key=lambda _: random.random())  # type: ignore[attr-defined]
    tables = [agreement([a for a, _ in some], [b for _, b in some]) for some in (items, mixed)]
    assert astuple(tables[0]) == astuple(tables[1])


def test_many_tables_at_once_are_the_same_as_one_by_one() -> None:
    stacked = np.stack([confusion(*items) for items in TABLES[:10]]).astype(np.float64)
    together = measures(stacked)
    for place, items in enumerate(TABLES[:10]):
        alone = measures(confusion(*items).astype(np.float64))
        for name, value in alone.items():
            assert np.array_equal(together[name][place], value, equal_nan=True)


def test_alpha_of_several_raters_is_that_of_the_package_with_gaps() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        grades = np.clip(rng.integers(0, 6, size=12) + rng.integers(-1, 2, size=(4, 12)), 0, 5).astype(float)
        grades[rng.random(grades.shape) < 0.3] = np.nan
        units = [[int(grade) for grade in column if not np.isnan(grade)] for column in grades.T]
        theirs = krippendorff.alpha(grades, level_of_measurement="ordinal", value_domain=GRADES)
        assert same(alpha_of_raters(units), float(theirs))


def test_alpha_of_raters_needs_two_grades_of_an_item_and_two_values() -> None:
    cases: tuple[list[list[int]], ...] = ([], [[3], [4]], [[3, 3], [3, 3, 3]])
    for units in cases:
        assert alpha_of_raters(units) is None, units


def test_intervals_hold_the_estimates_and_do_not_depend_on_order_or_names() -> None:
    rng = np.random.default_rng(5)
    labels = rng.choice(6, size=80).tolist()
    verdicts = [grade if rng.random() < 0.7 else int(rng.integers(0, 6)) for grade in labels]
    queries = [f"q{number % 60}" for number in range(80)]
    found = agreement_intervals(verdicts, labels, queries, seed=1)
    estimates = measures(confusion(verdicts, labels).astype(np.float64))
    for name, interval in found.items():
        assert interval is not None and interval.low < estimates[name] < interval.high
    order = rng.permutation(80)
    mixed = agreement_intervals(
        [verdicts[i] for i in order], [labels[i] for i in order], [queries[i] + "x" for i in order], seed=1
    )
    assert mixed == found


def test_a_repeated_item_of_a_query_is_no_further_evidence() -> None:
    verdicts, labels = TABLES[7]
    queries = [str(number) for number in range(len(labels))]
    once = agreement_intervals(verdicts, labels, queries)["exact"]
    twice = agreement_intervals(verdicts * 2, labels * 2, queries * 2)["exact"]
    as_new = agreement_intervals(verdicts * 2, labels * 2, range(2 * len(labels)))["exact"]
    assert once is not None and twice == pytest.approx(once)
    assert as_new is not None and as_new.high - as_new.low < 0.8 * (once.high - once.low)


def test_there_is_no_interval_where_nothing_can_be_said() -> None:
    assert set(agreement_intervals([], [], []).values()) == {None}
    few = agreement_intervals([1, 2, 1] * 3, [1, 3, 2] * 3, range(9))
    assert LEAST_CLUSTERS == 10 and set(few.values()) == {None}
    assert agreement_intervals([1, 2] * 5, [1, 3] * 5, range(10))["qwk"] is not None
    same_side = agreement_intervals([3, 4] * 10, [3, 4] * 10, range(20))
    assert same_side["qwk"] is None and same_side["exact"] is None and same_side["refusal_f1"] is None
    # One label 0 of 20: more than a third of the resamples lack it.
    rare = agreement_intervals([0, *[4, 5, 3] * 6, 1], [0, *[4, 4, 3] * 6, 2], range(20))
    assert rare["refusal_recall"] is None and rare["qwk"] is not None


def test_each_item_needs_its_cluster() -> None:
    with pytest.raises(ValueError, match="1 clusters are not those of 2 items"):
        agreement_intervals([1, 2], [1, 2], ["q"])
