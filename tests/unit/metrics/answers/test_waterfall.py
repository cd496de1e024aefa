"""The failure waterfall: shares by hand, what always holds, and which stages stand apart."""

from __future__ import annotations

from math import fsum
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.answers.waterfall import (
    UPSTREAM,
    GoldLoss,
    QueryLoss,
    reader_side,
    stage_losses,
    stage_shares,
    stages_apart,
)
from ragaliq.metrics.weights import WEIGHTS
from ragaliq.types import LossStage

KB, RETRIEVER, RERANKER, CUT, LANGUAGE, ABSTENTION, READER, UNKNOWN = LossStage
LOSSES = sorted({1 - weight for weight in WEIGHTS.values()})
READER_SIDE = (LANGUAGE, ABSTENTION, READER)


def test_each_loss_goes_whole_to_its_cause() -> None:
    # Grades 1, 0, 5, 2: losses 1, .6, 0, .8.
    queries = [
        QueryLoss("q1", 1.0, RETRIEVER, frozenset({RETRIEVER, CUT})),
        QueryLoss("q2", 0.6, ABSTENTION),
        QueryLoss("q3", 0.0, RETRIEVER, frozenset({RETRIEVER})),
        QueryLoss("q4", 0.8, RETRIEVER, frozenset({RETRIEVER})),
    ]
    shares = {share.stage: share for share in stage_shares(queries)}
    assert (shares[RETRIEVER].value, shares[RETRIEVER].n) == ((1 + 0.8) / 4, 2)
    assert (shares[ABSTENTION].value, shares[ABSTENTION].n) == (0.6 / 4, 1)
    assert all(shares[stage].value == 0 for stage in (KB, RERANKER, CUT, LANGUAGE, READER))
    assert UNKNOWN not in shares and {share.first for share in shares.values()} == {None}
    assert stage_losses(queries, RETRIEVER) == [1.0, 0.0, 0.0, 0.8]


def test_a_loss_whose_gold_is_not_known_is_a_share_of_its_own() -> None:
    shares = stage_shares([QueryLoss("q1", 0.4, UNKNOWN), QueryLoss("q2", 0.2, READER)])
    assert [(share.stage, share.value, share.n) for share in shares if share.value] == [
        (READER, 0.2 / 2, 1),
        (UNKNOWN, 0.4 / 2, 1),
    ]
    assert stage_shares([]) == []


def test_first_and_last_by_hand() -> None:
    queries = [
        # The gold alone wins back .8 of 1; the cut lost gold, too.
        QueryLoss("q1", 1.0, RETRIEVER, frozenset({RETRIEVER, CUT}), GoldLoss(0.2, READER)),
        # Only the cut; the reader abstains under the gold as well.
        QueryLoss("q2", 0.6, CUT, frozenset({CUT}), GoldLoss(0.4, ABSTENTION)),
        # Worse under the gold than in the run: nothing is won back.
        QueryLoss("q3", 0.6, CUT, frozenset({CUT}), GoldLoss(1.0, READER)),
        QueryLoss("q4", 0.8, READER, frozenset(), GoldLoss(0.8, READER)),
        # Not answered from its gold.
        QueryLoss("q5", 0.4, CUT, frozenset({CUT})),
    ]
    shares = {share.stage: share for share in stage_shares(queries)}
    assert shares[RETRIEVER].first == pytest.approx(1 / 5)
    assert shares[RETRIEVER].last == 0
    assert shares[CUT].first == pytest.approx((1 + 0.6 + 0.6 + 0.4) / 5)
    assert shares[CUT].value == pytest.approx((0.6 + 0.6 + 0.4) / 5)
    assert shares[CUT].last == pytest.approx((0.6 - 0.4) / 5)
    assert shares[READER].first == pytest.approx((0.8 + 0.2 + 0.6) / 5)
    assert shares[READER].last == shares[READER].value == pytest.approx(0.8 / 5)
    assert shares[ABSTENTION].first == pytest.approx(0.4 / 5)
    assert shares[ABSTENTION].last == 0


def test_the_reader_side_is_language_before_abstention_before_reader() -> None:
    assert reader_side(False, True) is LANGUAGE
    assert reader_side(None, True) is ABSTENTION
    assert reader_side(True, False) is READER


@st.composite
def query_losses(draw: st.DrawFn) -> list[QueryLoss]:
    """Queries of a run: their cause is the first stage that lost gold, else one of the reader's side."""
    queries = []
    for number in range(draw(st.integers(1, 30))):
        lost = frozenset(draw(st.sets(st.sampled_from(UPSTREAM))))
        cause = min(lost, key=list(LossStage).index) if lost else draw(st.sampled_from(READER_SIDE))
        gold = draw(st.none() | st.builds(GoldLoss, st.sampled_from(LOSSES), st.sampled_from(READER_SIDE)))
        queries.append(QueryLoss(f"q{number}", draw(st.sampled_from(LOSSES)), cause, lost, gold))
    return queries


@given(query_losses())
def test_the_shares_sum_to_the_loss_and_lie_between_their_bounds(queries: list[QueryLoss]) -> None:
    shares = stage_shares(queries)
    loss = fsum(one.loss for one in queries) / len(queries)
    assert abs(sum(share.value for share in shares) - loss) < 1e-12
    for share in shares:
        if share.first is not None and share.last is not None:
            assert share.first >= share.value - 1e-12 and share.value >= share.last - 1e-12
            assert share.last >= 0 and share.first <= 1


@given(query_losses(), st.randoms(use_true_random=False))
def test_the_order_of_the_queries_changes_nothing(queries: list[QueryLoss], random: Random) -> None:
    turned = list(queries)
    random.shuffle(turned)
    assert stage_shares(turned) == stage_shares(queries)


def language(causes: str, losses: dict[str, float]) -> list[QueryLoss]:
    """One query for each letter: R retriever, C cut, D reader, U unknown."""
    stages = {"R": RETRIEVER, "C": CUT, "D": READER, "U": UNKNOWN}
    return [QueryLoss(f"q{n:03}", losses[cause], stages[cause]) for n, cause in enumerate(causes)]


def test_a_stage_that_loses_more_in_one_language_stands_apart_there_alone() -> None:
    losses = {"R": 1.0, "D": 0.2}
    even = "R" * 4 + "D" * 36
    apart = stages_apart({"en": language(even, losses), "de": language(even, losses),
                          "ru": language("R" * 24 + "D" * 16, losses)})  # fmt: skip
    assert [(one.stage, one.n) for one in apart["ru"]] == [(RETRIEVER, 40)]
    assert apart["ru"][0].difference == pytest.approx(20 / 40)
    assert apart["ru"][0].p < 0.001
    assert apart["en"] == apart["de"] == [], "the reader of the others has more to lose, and is no worse"


def test_a_later_stage_is_compared_only_where_queries_get_to_it() -> None:
    losses = {"R": 1.0, "D": 0.6}
    # The reader loses everything that it gets, everywhere; in ru it gets half of it.
    apart = stages_apart({"en": language("D" * 40, losses), "ru": language("R" * 20 + "D" * 20, losses)})
    assert [one.stage for one in apart["ru"]] == [RETRIEVER]
    assert apart["en"] == []


def test_one_language_and_unknown_causes_are_compared_with_nothing() -> None:
    assert stages_apart({"en": language("RD", {"R": 1.0, "D": 0.2})}) == {"en": []}
    unknown = {"en": language("U" * 30, {"U": 1.0}), "de": language("D" * 30, {"D": 0.0})}
    assert stages_apart(unknown) == {"en": [], "de": []}
    assert stages_apart({}) == {}


@pytest.mark.slow
def test_chance_alone_names_hardly_any_stage() -> None:
    """Six languages with the same chances, 40 times: a false name in at most one in twenty (.05), with slack."""
    import numpy as np

    generator = np.random.default_rng(3)
    false = 0
    for _ in range(40):
        by_lang = {
            lang: language("".join(generator.choice(list("RCD"), size=60, p=[0.05, 0.2, 0.75])),
                           {"R": 0.6, "C": 0.6, "D": 0.4})
            for lang in ("en", "de", "fr", "es", "ru", "zh")
        }  # fmt: skip
        false += any(stages_apart(by_lang).values())
    assert false <= 5
