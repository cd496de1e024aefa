"""ragaliq tells how good a RAG system's answers are, per language, and how sure that figure is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ragaliq.blas import one_thread
from ragaliq.types import Answer, Assignment, Candidate, Chunk, Hit, Item, Nugget, Query, Reading, Trace, Verdict

if TYPE_CHECKING:
    from ragaliq.aggregate.run_figures import load_run
    from ragaliq.benchmark.collections import load_collections
    from ragaliq.benchmark.load import Benchmark, load_benchmark
    from ragaliq.config import RunConfig, load_config
    from ragaliq.formats.reading.collection import Collection
    from ragaliq.metrics.arrays import difference, interval, rank_sets
    from ragaliq.metrics.retrieval.retrieval_scores import evaluate_retrieval
    from ragaliq.pipeline.answer_files.grade_frame import grade
    from ragaliq.pipeline.chatbot import Chatbot
    from ragaliq.pipeline.evaluate import evaluate
    from ragaliq.report.compared import compare

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Assignment",
    "Benchmark",
    "Candidate",
    "Chatbot",
    "Chunk",
    "Collection",
    "Hit",
    "Item",
    "Nugget",
    "Query",
    "Reading",
    "RunConfig",
    "Trace",
    "Verdict",
    "compare",
    "difference",
    "evaluate",
    "evaluate_retrieval",
    "grade",
    "interval",
    "load_benchmark",
    "load_collections",
    "load_config",
    "load_run",
    "rank_sets",
]

# Loaded when first used, so that `import ragaliq` stays light.
_LAZY = {
    "Benchmark": "ragaliq.benchmark.load",
    "Chatbot": "ragaliq.pipeline.chatbot",
    "Collection": "ragaliq.formats.reading.collection",
    "RunConfig": "ragaliq.config",
    "compare": "ragaliq.report.compared",
    "difference": "ragaliq.metrics.arrays",
    "evaluate": "ragaliq.pipeline.evaluate",
    "evaluate_retrieval": "ragaliq.metrics.retrieval.retrieval_scores",
    "grade": "ragaliq.pipeline.answer_files.grade_frame",
    "interval": "ragaliq.metrics.arrays",
    "load_benchmark": "ragaliq.benchmark.load",
    "load_collections": "ragaliq.benchmark.collections",
    "load_config": "ragaliq.config",
    "load_run": "ragaliq.aggregate.run_figures",
    "rank_sets": "ragaliq.metrics.arrays",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        one_thread()
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'ragaliq' has no attribute '{name}'")


def __dir__() -> list[str]:
    return list(__all__)
