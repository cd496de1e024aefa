"""What the pool and its judge may have missed, from the documents judged at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.pool_recall import ALL, pool_recalls
from ragaliq.build.quality.pool_recall import negatives as random_documents
from ragaliq.build.stage_row import StageRow
from ragaliq.build.validity.estimate import Estimate, Proportion, share_of


@dataclass(frozen=True, slots=True)
class PoolCheck:
    """The pool of one language.

    Attributes:
        lang: the language.
        queries: answerable queries with judgements.
        recall_by_depth: depth, as text → share of the relevant documents found that a pool of this depth contains.
        negatives: judged documents from outside the pool, drawn at random; counted are those that support a nugget.
        unjudged: documents per query that nobody judged, mean.
        pool_recall: estimated share of all relevant documents that were found: those found, over those found and those
            among the unjudged documents if they are relevant as often as the random ones. The ends are those of the
            random documents' share, so few of them give a wide interval.
    """

    lang: str
    queries: int
    recall_by_depth: dict[str, float | None]
    negatives: Proportion
    unjudged: float
    pool_recall: Estimate | None


def pool_checks(built: Built) -> list[PoolCheck]:
    """Return the checks of each language's pool."""
    recalls = [one for one in pool_recalls(built) if one.texts == ALL]
    checks = []
    for random in random_documents(built):
        rows = built.answerable(random.lang)
        depths = {str(one.depth): one.recall for one in recalls if one.lang == random.lang}
        negatives = share_of(random.supporting, random.n)
        unjudged = sum(len(built.corpora[random.lang]) - len(row.value["judged"]) for row in rows) / len(rows)
        recall = _recall(rows, negatives, unjudged)
        checks.append(PoolCheck(random.lang, len(rows), depths, negatives, unjudged, recall))
    return checks


def _recall(rows: Sequence[StageRow], negatives: Proportion, unjudged: float) -> Estimate | None:
    per_query = sum(rel > 0 for row in rows for rel in row.value["judged"].values()) / len(rows)
    if negatives.share is None or not per_query:
        return None
    ends = negatives.share.value, negatives.share.high, negatives.share.low
    value, low, high = (per_query / (per_query + unjudged * (share or 0.0)) for share in ends)
    return Estimate(value, low, high)
