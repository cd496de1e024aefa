"""What the stages of the waterfall are called."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ragaliq.types import LossStage

# Name and meaning.
STAGES: Mapping[LossStage, tuple[str, str]] = MappingProxyType(
    {
        LossStage.KNOWLEDGE_BASE: ("knowledge base", "no indexed chunk holds the passage that answers the query"),
        LossStage.RETRIEVER: ("retriever", "the passage is indexed, but not among the chunks retrieved"),
        LossStage.RERANKER: ("reranker", "the retriever ranked the passage high enough, the reranker did not"),
        LossStage.CONTEXT_CUT: ("context cut", "the passage was retrieved, but not shown to the reader in full"),
        LossStage.LANGUAGE: ("language", "the reader saw the passage and answered in another language"),
        LossStage.ABSTENTION: ("abstention", "the reader saw the passage and did not answer"),
        LossStage.READER: ("reader", "the reader saw the passage and answered wrongly or in part"),
        LossStage.UNKNOWN: ("gold not known", "nothing tells which passage answers the query"),
    }
)
