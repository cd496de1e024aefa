"""ragaliq tells how good a RAG system's answers are, per language, and how sure that figure is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ragaliq.types import Answer, Chunk, Hit, Item, Nugget, Query, Reading, Verdict

if TYPE_CHECKING:
    from ragaliq.chatbot import Chatbot
    from ragaliq.config import RunConfig, load_config
    from ragaliq.corpus.benchmark import Benchmark, load_benchmark
    from ragaliq.evaluation import evaluate

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Benchmark",
    "Chatbot",
    "Chunk",
    "Hit",
    "Item",
    "Nugget",
    "Query",
    "Reading",
    "RunConfig",
    "Verdict",
    "evaluate",
    "load_benchmark",
    "load_config",
]

# Loaded when first used, so that `import ragaliq` stays light.
_LAZY = {
    "Benchmark": "ragaliq.corpus.benchmark",
    "Chatbot": "ragaliq.chatbot",
    "RunConfig": "ragaliq.config",
    "evaluate": "ragaliq.evaluation",
    "load_benchmark": "ragaliq.corpus.benchmark",
    "load_config": "ragaliq.config",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'ragaliq' has no attribute '{name}'")
