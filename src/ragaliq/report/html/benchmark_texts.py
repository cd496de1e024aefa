"""What page and terminal show of the benchmark, where that is at hand: kinds of queries, texts of gold and nuggets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragaliq.benchmark.load import Benchmark
from ragaliq.errors import InputError
from ragaliq.runs.benchmark import run_benchmark
from ragaliq.runs.folder import RunFolder


@dataclass(frozen=True, slots=True)
class BenchmarkTexts:
    """Parts of a benchmark; empty where it is not at hand, or has changed since.

    Attributes:
        kinds: type and difficulty by language and query id.
        gold: documents that hold it by language and query id: one of each group is needed.
        documents: texts of gold by language and document id.
        nuggets: texts by language and nugget id.
    """

    kinds: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    gold: Mapping[tuple[str, str], Sequence[Sequence[str]]] = field(default_factory=dict)
    documents: Mapping[tuple[str, str], str] = field(default_factory=dict)
    nuggets: Mapping[tuple[str, str], str] = field(default_factory=dict)


def benchmark_texts(runs: Sequence[RunFolder], langs: Sequence[str]) -> BenchmarkTexts:
    """Return the texts of the benchmark that all runs answer, from the first folder in which one of them has it."""
    folders: set[str] = set()
    for run in runs:
        folder = str(run.config()["data"].get("path") or "")
        if not folder or folder in folders:
            continue
        folders.add(folder)
        try:
            return _texts(run_benchmark(run, list(langs)))
        except InputError:
            continue
    return BenchmarkTexts()


def _texts(benchmark: Benchmark) -> BenchmarkTexts:
    items = [item for own in benchmark.items.values() for item in own]
    gold = {(item.query.lang, doc_id) for item in items for group in item.gold for doc_id in group}
    return BenchmarkTexts(
        {item.key: (item.type, item.difficulty) for item in items},
        {item.key: item.gold for item in items},
        {
            (lang, chunk.doc_id): chunk.text
            for lang, collection in benchmark.collections.items()
            for chunk in collection.chunks()
            if (lang, chunk.doc_id) in gold
        },
        {(lang, nugget.nugget_id): nugget.text for lang, own in benchmark.nuggets.items() for nugget in own},
    )
