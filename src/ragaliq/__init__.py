"""ragaliq tells how good a RAG system's answers are, per language, and how sure that figure is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ragaliq.types import Answer, Chunk, Hit, Item, Nugget, Query, Reading, Verdict

if TYPE_CHECKING:
    from ragaliq.chatbot import Chatbot
    from ragaliq.config import RunConfig, load_config
    from ragaliq.corpus.benchmark import Benchmark, load_benchmark
    from ragaliq.corpus.collections import load_collections
    from ragaliq.evaluation import evaluate
    from ragaliq.formats.collection import Collection
    from ragaliq.metrics.retrieval_scores import evaluate_retrieval

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Benchmark",
    "Chatbot",
    "Chunk",
    "Collection",
    "Hit",
    "Item",
    "Nugget",
    "Query",
    "Reading",
    "RunConfig",
    "Verdict",
    "evaluate",
    "evaluate_retrieval",
    "load_benchmark",
    "load_collections",
    "load_config",
]

# Loaded when first used, so that `import ragaliq` stays light.
_LAZY = {
    "Benchmark": "ragaliq.corpus.benchmark",
    "Chatbot": "ragaliq.chatbot",
    "Collection": "ragaliq.formats.collection",
    "RunConfig": "ragaliq.config",
    "evaluate": "ragaliq.evaluation",
    "evaluate_retrieval": "ragaliq.metrics.retrieval_scores",
    "load_benchmark": "ragaliq.corpus.benchmark",
    "load_collections": "ragaliq.corpus.collections",
    "load_config": "ragaliq.config",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'ragaliq' has no attribute '{name}'")
