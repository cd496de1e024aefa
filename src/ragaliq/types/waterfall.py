"""Which stage of a system loses a query's gold, and what its reader answers under other contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ragaliq.types.answers import AnswerOutcome
from ragaliq.types.verdicts import VerdictOutcome


class LossStage(StrEnum):
    """The stages that can lose a query's points, in the order of the data; `UNKNOWN`: its gold is not known."""

    KNOWLEDGE_BASE = "knowledge_base"
    RETRIEVER = "retriever"
    RERANKER = "reranker"
    CONTEXT_CUT = "context_cut"
    LANGUAGE = "language"
    ABSTENTION = "abstention"
    READER = "reader"
    UNKNOWN = "unknown"


class Condition(StrEnum):
    """What the reader is shown in place of the run's context.

    Nothing; what the retriever ranked best, before the reranker; the gold.
    """

    NONE = "none"
    RETRIEVED = "retrieved"
    GOLD = "gold"


@dataclass(frozen=True, slots=True)
class GoldGroup:
    """One group of a query's gold: any of its documents will do.

    Attributes:
        doc_ids: the group, in the benchmark's ids.
        retrieved: rank in the retriever's order from which a document of the group is there in full; None if it is not.
        ranked: the same in the order after the reranker.
        lost: the stage that loses the group, up to `CONTEXT_CUT`; None if the reader was shown it in full.
    """

    doc_ids: tuple[str, ...]
    retrieved: int | None
    ranked: int | None
    lost: LossStage | None


@dataclass(frozen=True, slots=True)
class ConditionAnswer:
    """What the same reader answers under a condition, and its grade by the same judge.

    Attributes:
        doc_ids: of what it was shown.
        in_language: whether the answer is in the query's language; None where that cannot be told.
        grade: 0 to 5; None where `verdict` is not `scored`.
    """

    text: str
    outcome: AnswerOutcome
    in_language: bool | None
    doc_ids: tuple[str, ...]
    grade: int | None
    verdict: VerdictOutcome
    error: str = ""


@dataclass(frozen=True, slots=True)
class WaterfallRow:
    """One line of `waterfall.jsonl`: what became of an item's gold on its way to the answer.

    Attributes:
        cause: the first stage that loses something, `READER` where none before it does; None for an unanswerable query
            and a failed answer. What it costs is the loss of the answer's grade, which may be nothing.
        groups: of the gold; empty where it is not known.
        conditions: answers to the same query under other contexts, as far as they were asked for.
        answer_hash: of the answer that the row is about.
    """

    query_id: str
    lang: str
    answerable: bool
    type: str
    difficulty: str
    cause: LossStage | None
    groups: tuple[GoldGroup, ...]
    conditions: Mapping[Condition, ConditionAnswer] = field(default_factory=dict)
    answer_hash: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Language and query id, the order of every output."""
        return (self.lang, self.query_id)
