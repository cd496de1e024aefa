"""Where a query's gold is lost on its way to the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragaliq.metrics.answers.waterfall import reader_side
from ragaliq.text.sentences import sentences
from ragaliq.types import GoldGroup, Hit, LossStage

# Chunks whose text with single blanks is kept: each stands in the rankings of many queries.
_CHUNKS = 4_000


@dataclass(frozen=True, slots=True)
class GoldMember:
    """One text that holds a group's gold: a chunk, or its translation.

    Attributes:
        unit: its name in the rankings; empty where the knowledge base is cut otherwise than the benchmark's corpus.
        sentences: those of its text, with single blanks.
    """

    unit: str
    sentences: tuple[str, ...]

    @classmethod
    def of(cls, text: str, unit: str = "") -> GoldMember:
        """Return the member that a text is."""
        return cls(unit, tuple(map(single_spaced, sentences(text))))


@dataclass(frozen=True, slots=True)
class Passed:
    """What the stages of a system passed on for one query.

    Attributes:
        retrieved: the retriever's order; None where it is not known, as in a run of an earlier version.
        ranked: the order after the reranker.
        unranked_context: what the reader would have been shown of the retriever's order.
        context: what the reader was shown.
        reranks: whether there is a reranker.
    """

    retrieved: Sequence[Hit] | None
    ranked: Sequence[Hit]
    unranked_context: Sequence[Hit]
    context: Sequence[Hit]
    reranks: bool


def follow(
    doc_ids: tuple[str, ...], members: Sequence[GoldMember], passed: Passed, held: Callable[[GoldMember], bool]
) -> GoldGroup:
    """Return what became of a group of gold: it is there where one of its members is there in full.

    `held` tells whether the knowledge base holds a member; it is asked only where that decides. A group that the reader
    was shown is not lost, wherever its sentences come from.
    """
    retrieved = None if passed.retrieved is None else _rank(members, passed.retrieved)
    ranked = _rank(members, passed.ranked)
    return GoldGroup(doc_ids, retrieved, ranked, _lost(members, passed, (retrieved, ranked), held))


def cause_of(groups: Sequence[GoldGroup], in_language: bool | None, abstained: bool) -> LossStage:
    """Return the first stage that loses something of a query whose reader did not fail; without groups `UNKNOWN`."""
    lost = [group.lost for group in groups]
    if not groups or LossStage.UNKNOWN in lost:
        # What is not known may come before what is.
        return LossStage.KNOWLEDGE_BASE if LossStage.KNOWLEDGE_BASE in lost else LossStage.UNKNOWN
    first = next((stage for stage in LossStage if stage in lost), None)
    return first or reader_side(in_language, abstained)


def single_spaced(text: str) -> str:
    """Return a text with single blanks in the place of any white space."""
    return " ".join(text.split())


_of_chunk = lru_cache(maxsize=_CHUNKS)(single_spaced)


def _lost(
    members: Sequence[GoldMember],
    passed: Passed,
    ranks: tuple[int | None, int | None],
    held: Callable[[GoldMember], bool],
) -> LossStage | None:
    retrieved, ranked = ranks
    if _shown(members, passed.context):
        return None
    if retrieved is None and ranked is None and not any(map(held, members)):
        return LossStage.KNOWLEDGE_BASE
    if passed.retrieved is None:
        return LossStage.UNKNOWN
    if retrieved is None:
        return LossStage.RETRIEVER
    dropped = ranked is None or _shown(members, passed.unranked_context)
    return LossStage.RERANKER if passed.reranks and dropped else LossStage.CONTEXT_CUT


def _rank(members: Sequence[GoldMember], hits: Sequence[Hit]) -> int | None:
    """Return the first rank down to which one of the members is there in full."""
    return min((rank for member in members if (rank := _rank_of(member, hits))), default=None)


def _rank_of(member: GoldMember, hits: Sequence[Hit]) -> int | None:
    if member.unit:
        return next((hit.rank for hit in hits if hit.chunk.doc_id == member.unit), None)
    missing = set(member.sentences)
    for hit in hits:
        text = _of_chunk(hit.chunk.text)
        missing = {sentence for sentence in missing if sentence not in text}
        if not missing:
            return hit.rank
    return None


def _shown(members: Sequence[GoldMember], context: Sequence[Hit]) -> bool:
    """Return whether all sentences of a member stand in a context: a line that two chunks share is shown once."""
    text = single_spaced("\n".join(hit.chunk.text for hit in context))
    return any(all(sentence in text for sentence in member.sentences) for member in members)
