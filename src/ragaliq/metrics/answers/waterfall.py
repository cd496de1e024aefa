"""The failure waterfall: which stage of a system loses the points that its answers lack.

A query's loss is 1 − w, w the weight of its grade. It goes whole to one stage, its cause, so that the stages' shares
sum to the mean loss. Stages up to the context cut lose gold on its way to the reader; the others (language, abstention,
reader) lose what is lost where the reader was shown all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.intervals import Interval, mean_interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.sign_flips import ROUNDING, sign_flip_tails
from ragaliq.metrics.statistics.significance import DRAWS
from ragaliq.types import LossStage

UPSTREAM = (LossStage.KNOWLEDGE_BASE, LossStage.RETRIEVER, LossStage.RERANKER, LossStage.CONTEXT_CUT)
KNOWN = tuple(stage for stage in LossStage if stage is not LossStage.UNKNOWN)
_PLACES = {stage: place for place, stage in enumerate(LossStage)}
_ALPHA = 0.05
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GoldLoss:
    """The loss of the same query where the reader is shown its gold, and the stage of the reader's side that has it."""

    loss: float
    cause: LossStage


@dataclass(frozen=True, slots=True)
class QueryLoss:
    """What one query lost, in 0..1.

    Attributes:
        query_id: names the same question in every language.
        loss: 1 − w.
        cause: the first stage that loses something.
        lost: the stages that lost a group of its gold.
        gold: what it loses where the reader is shown its gold; None where that was not asked.
    """

    query_id: str
    loss: float
    cause: LossStage
    lost: frozenset[LossStage] = frozenset()
    gold: GoldLoss | None = None


@dataclass(frozen=True, slots=True)
class StageShare:
    """What one stage loses.

    Attributes:
        stage: the stage.
        value: its share of the mean loss, in mean weight: over all queries, the mean of the losses that it causes.
        n: number of queries with a loss that it causes.
        first: the share if the stage is charged before all others: a stage up to the context cut with each loss of a
            query of which it lost gold; a stage of the reader's side also with what is still lost under the gold.
        last: the share if it is charged after all others: up to the context cut, only with what the gold alone wins
            back, of queries of which no other stage lost gold. On the reader's side it is `value`.
            Both are None where no query was answered from its gold. A query that was not counts nothing towards what
            needs it, so that always first ≥ value ≥ last.
    """

    stage: LossStage
    value: float
    n: int
    first: float | None
    last: float | None


@dataclass(frozen=True, slots=True)
class StageApart:
    """A stage that loses more in one language than in the others, of the `n` queries that get that far.

    `difference` is the mean, over these queries, of the loss in this language less the mean of the others'. `p` is
    corrected for all stages and languages; the interval is that of the difference alone.
    """

    stage: LossStage
    n: int
    difference: float
    interval: Interval | None
    p: float


def reader_side(in_language: bool | None, abstained: bool) -> LossStage:
    """Return the stage that loses what is lost where the reader was shown all gold."""
    if in_language is False:
        return LossStage.LANGUAGE
    return LossStage.ABSTENTION if abstained else LossStage.READER


def stage_losses(losses: Sequence[QueryLoss], stage: LossStage) -> list[float]:
    """Return what the stage loses of each query, 0 where it is not the cause."""
    return [one.loss if one.cause is stage else 0.0 for one in losses]


def stage_shares(losses: Sequence[QueryLoss]) -> list[StageShare]:
    """Return the share of each stage, in order; `UNKNOWN` only where it has a loss. The values sum to the mean loss."""
    shares = [_share(losses, stage) for stage in LossStage] if losses else []
    return [share for share in shares if share.n or share.stage is not LossStage.UNKNOWN]


def stages_apart(by_lang: Mapping[str, Sequence[QueryLoss]], seed: int = 0) -> dict[str, list[StageApart]]:
    """Return for each language the stages that lose more in it than in the mean of the other languages.

    A stage is compared over the queries that get as far as it in this language and in at least one other, each with the
    mean of its loss over those others: what an earlier stage has lost, no later one can lose, and a language whose
    retriever loses everything says nothing about its reader. Tested is by sign flips over queries (`sign_flip_tails`),
    corrected by Holm over all languages and stages in which anything differs; listed is what is greater with p < .05,
    the greatest difference first.
    """
    deltas = {lang: _against_others(by_lang, lang) for lang in by_lang}
    # A query that is not compared changes no sum.
    tails = {lang: sign_flip_tails(np.nan_to_num(table), seed, DRAWS) for lang, table in deltas.items()}
    tests = [
        (lang, place) for lang in deltas for place in range(len(KNOWN)) if np.nan_to_num(deltas[lang][:, place]).any()
    ]
    corrected = holm([float(tails[lang][place]) for lang, place in tests])
    apart: dict[str, list[StageApart]] = {lang: [] for lang in by_lang}
    for (lang, place), p in zip(tests, corrected, strict=True):
        differences = [delta for delta in deltas[lang][:, place].tolist() if delta == delta]
        difference = fmean(differences)
        if p is not None and p < _ALPHA and difference > 0:
            interval = mean_interval(differences, seed=seed)
            apart[lang].append(StageApart(KNOWN[place], len(differences), difference, interval, p))
    return {lang: sorted(stages, key=lambda one: -one.difference) for lang, stages in apart.items()}


def _share(losses: Sequence[QueryLoss], stage: LossStage) -> StageShare:
    n = len(losses)
    caused = stage_losses(losses, stage)
    value = fsum(caused) / n
    first: float | None = None
    last: float | None = None
    if stage is not LossStage.UNKNOWN and any(one.gold for one in losses):
        if stage in UPSTREAM:
            first = fsum(one.loss for one in losses if stage in one.lost) / n
            won = (max(0.0, one.loss - one.gold.loss) for one in losses if one.lost == {stage} and one.gold)
            last = fsum(won) / n
        else:
            under_gold = (one for one in losses if one.cause in UPSTREAM and one.gold and one.gold.cause is stage)
            first = fsum([*caused, *(min(one.loss, one.gold.loss) for one in under_gold if one.gold)]) / n
            last = value
    return StageShare(stage, value, sum(loss > 0 for loss in caused), first, last)


def _reaches(one: QueryLoss, stage: LossStage) -> bool:
    """Return whether no earlier stage is the cause of a query's loss; where that is not known, it is not compared."""
    return one.cause is not LossStage.UNKNOWN and _PLACES[stage] <= _PLACES[one.cause]


def _against_others(by_lang: Mapping[str, Sequence[QueryLoss]], lang: str) -> Array:
    """Return a row for each query: for each known stage its loss in `lang` less the others' mean; NaN: not compared."""
    others: dict[str, list[QueryLoss]] = {}
    for other, losses in by_lang.items():
        for one in losses if other != lang else ():
            others.setdefault(one.query_id, []).append(one)
    table = np.full((len(by_lang[lang]), len(KNOWN)), np.nan)
    for row, one in enumerate(sorted(by_lang[lang], key=lambda one: one.query_id)):
        for place, stage in enumerate(KNOWN):
            compared = [other for other in others.get(one.query_id, ()) if _reaches(other, stage)]
            if compared and _reaches(one, stage):
                delta = (one.loss if one.cause is stage else 0.0) - fmean(stage_losses(compared, stage))
                table[row, place] = 0.0 if abs(delta) <= ROUNDING else delta
    return table
