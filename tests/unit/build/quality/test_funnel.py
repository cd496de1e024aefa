"""What became of items, with reasons; votes; evidence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import STAGES, wanted_stages
from ragaliq.build.quality.funnel import EvidenceMatch, criterion_votes, evidence_match, rewritten, stage_yields
from ragaliq.build.settings import BuildSettings, JudgeSettings
from ragaliq.build.stage_row import StageRow
from unit.build.quality.hand_made import write

NAMES = [stage.name for stage in wanted_stages(BuildSettings(judge=JudgeSettings(relevance=True)))]
NEEDS = {stage.name: stage.needs for stage in STAGES}
# The stages with a row for each query that the one before kept.
CHAIN = [name for name in NEEDS if name not in ("ingest", "chunk", "judge", "relevance", "translate")]


def test_items_are_kept_or_removed_with_a_reason_in_every_stage(context: BuildContext) -> None:
    yields = {one.stage: one for one in stage_yields(context, NAMES)}
    assert list(yields) == NAMES
    assert all(one.items == one.kept + sum(one.removed.values()) and one.lost == 0 for one in yields.values())
    one = yields["generate"]
    assert one.removed == {"evidence not found": 1, "failed": 1, "nothing to ask": 1}
    assert (one.items, one.kept, one.failed, one.coverage, one.unit) == (7, 4, 1, 6 / 7, "candidates")
    assert one.kept_by_lang == {"en": 4}
    assert (yields["judge"].unit, yields["judge"].coverage) == ("batches", 0.0)


def test_a_query_that_a_stage_has_no_row_of_is_lost(context: BuildContext) -> None:
    write(context, "pool", StageRow("q1", "en"), StageRow("q2", "de"))
    yields = {one.stage: one for one in stage_yields(context, NAMES)}
    # q2 and q3 in English; what comes after is held against what is left, q2 in German.
    assert (yields["pool"].lost, yields["filter"].lost) == (2, 1)


@pytest.mark.parametrize(("before", "stage"), list(pairwise(CHAIN)))
def test_each_stage_of_the_chain_needs_the_one_before_and_may_lose_its_queries(
    context: BuildContext, before: str, stage: str
) -> None:
    assert before in NEEDS[stage]
    for name in CHAIN:
        write(context, name, StageRow("q1", "en"), *([] if name == stage else [StageRow("q2", "en")]))
    # Behind it q2 is a query that nobody passed on, and not lost.
    assert {one.stage: one.lost for one in stage_yields(context, CHAIN) if one.lost} == {stage: 1}


def test_a_stage_that_did_not_run_has_no_coverage(context: BuildContext) -> None:
    assert [(one.items, one.coverage) for one in stage_yields(context, ["never"])] == [(0, None)]


def test_votes_are_counted_and_their_agreement_is_ordinal(context: BuildContext) -> None:
    first, *others = criterion_votes(context)
    assert (first.criterion, first.texts) == ("usefulness", 3)
    assert first.counts == {"1": 0, "2": 0, "3": 3, "4": 1, "5": 3}
    assert first.agree == 1 / 2
    # The text with one vote tells nothing of agreement.
    # Scores 3 3 3 4 5 5 stand at the mid-places 1.5, 3.5, 5. Of pairs in one text only 4 with 5 differ, by 1.5: twice
    # each of 4–5, 5–4, divided by 3 − 1. Expected, over 6 − 1: 3·1·2² + 3·2·3.5² + 1·2·1.5² twice.
    observed, expected = 2 * (2 * 1.5**2) / 2, 2 * (3 * 2.0**2 + 6 * 3.5**2 + 2 * 1.5**2) / 5
    assert first.alpha == pytest.approx(1 - observed / expected)
    assert all(one.alpha == first.alpha for one in others)
    # q1, of those kept.
    assert rewritten(context) == 1


def test_evidence_that_was_not_found_lowers_the_match(context: BuildContext) -> None:
    # q1, q3, q4 cite what is there, q5 does not; q6 asks nothing, q7 failed, q2 was asked by people.
    assert evidence_match(context) == EvidenceMatch(4, 3, 3 / 4)
    write(context, "generate", StageRow("q7", "en", {}, "failed"))
    assert evidence_match(context) == EvidenceMatch(0, 0, None)
