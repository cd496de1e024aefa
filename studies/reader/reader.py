"""The embedded reader on the data its constants were chosen on, what each constant is worth, and the final figures.

python studies/reader/reader.py --editions DIR --out studies/reader/tuning.json
python studies/reader/reader.py --final --out studies/reader/final.json

DIR holds editions 1 and 2 of the sample (`ragaliq refresh data/velmora --seed N --out DIR/N`) and the reference
benchmark (`ragaliq convert … --from upstream --to ragaliq --out DIR/reference`). XQuAD comes from
`RAGALIQ_SHARED_DATA`; every fourth of its questions loses its paragraph and is unanswerable then.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.benchmark.load import load_benchmark
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.read import evidence
from ragaliq.read.context import fill_context
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.rerank.lexical import LexicalReranker
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.gold import GoldRetriever
from ragaliq.retrieve.hybrid import HybridRetriever
from ragaliq.text.terms import reading_length
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query, Reading
from record import write

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "velmora"
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", "../shared/data"))
CONTEXT_K, CONTEXT_CHARS, TOP_K = 60, 4500, 100
# Each is left out, and counts twice.
CONSTANTS = ("LEXICAL", "RELEVANCE", "FIT", "BESIDE", "WORDS", "COSINE", "MARGIN", "GAP")
CUTS = (2.0, 2.3, 2.6, 2.9, 3.3, 4.0)
XQUAD_LANGUAGES, XQUAD_QUESTIONS = ("en", "de", "ru", "zh"), 400


@dataclass(frozen=True)
class Case:
    """An item with its ranking and its gold chunks."""

    item: Item
    ranking: Sequence[Hit]
    gold: Sequence[Hit]


Cases = Mapping[str, Sequence[Case]]


def main() -> int:
    """Measure, print, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--editions", type=Path, help="folder with `1`, `2` and `reference`")
    parser.add_argument("--final", action="store_true", help="measure the published edition, nothing else")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    if options.final:
        figures: dict[str, object] = {"edition 0": measured(benchmark_cases(SAMPLE))}
    else:
        data = {f"edition {seed}": benchmark_cases(options.editions / str(seed)) for seed in (1, 2)}
        data |= {"xquad": xquad_cases(), "reference": benchmark_cases(options.editions / "reference")}
        figures = {name: measured(cases) for name, cases in data.items()}
        figures["cuts"] = {str(cut): {name: short(cases, cut) for name, cases in data.items()} for cut in CUTS}
        del data["edition 2"]
        figures["constants"] = {name: varied(name, data) for name in CONSTANTS}
    print(json.dumps(figures, indent=1, ensure_ascii=False))
    if options.out:
        write(options.out, figures)
        print(f"figures: {options.out}")
    return 0


def benchmark_cases(folder: Path) -> Cases:
    """Return the cases of each language of a benchmark."""
    benchmark = load_benchmark(folder)
    return {lang: _ranked(benchmark.chunks[lang], benchmark.items[lang]) for lang in benchmark.languages}


def xquad_cases() -> Cases:
    """Return the cases of a sample of XQuAD's questions, every fourth one without its paragraph."""
    cases = {}
    for lang in XQUAD_LANGUAGES:
        articles = json.loads((SHARED / "xquad" / f"xquad.{lang}.json").read_text(encoding="utf-8"))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        texts = [paragraph["context"] for paragraph in paragraphs]
        chunks = [Chunk(f"p{n:03}", lang, text, "xquad", 0, len(text)) for n, text in enumerate(texts)]
        items = [
            Item(
                Query(f"{qa['id']}", lang, qa["question"]),
                qa["answers"][0]["text"],
                type="span",
                gold=((chunk.doc_id,),),
            )
            for chunk, paragraph in zip(chunks, paragraphs, strict=True)
            for qa in paragraph["qas"]
        ]
        chosen = sorted(random.Random(0).sample(range(len(items)), XQUAD_QUESTIONS))
        ranked = _ranked(chunks, [items[place] for place in chosen])
        cases[lang] = [_without_gold(case) if place % 4 == 0 else case for place, case in enumerate(ranked)]
    return cases


def measured(cases: Cases) -> dict[str, object]:
    """Return the figures of each language."""
    return {lang: language_figures(own) for lang, own in cases.items()}


def language_figures(cases: Sequence[Case]) -> dict[str, object]:
    """Return mean weight, abstention, length and nDCG@10 of one language."""
    reader = ExtractiveReader()
    readings = [reader.read(case.item.query, context(case)) for case in cases]
    answerable = [(case, reading) for case, reading in zip(cases, readings, strict=True) if case.item.answerable]
    gold = [case for case, _ in answerable if case.gold]
    found: dict[str, object] = {
        "n": len(cases),
        "n_answerable": len(answerable),
        "mean_weight": round(fmean(weight(case.item, reading) for case, reading in answerable), 4),
        "abstention": abstention(cases, readings),
        "median_length": median(reading_length(r.text) for _, r in answerable if r.outcome is AnswerOutcome.ANSWERED),
        "median_length_of_references": median(reading_length(case.item.reference) for case, _ in answerable),
    }
    if gold:
        oracle = [weight(case.item, reader.read(case.item.query, case.gold)) for case in gold]
        reranker = LexicalReranker()
        found["mean_weight_with_gold"] = round(fmean(oracle), 4)
        found["nDCG@10"] = round(fmean(ndcg(case.item, case.ranking) for case in gold), 4)
        reranked = (ndcg(case.item, reranker.rerank(case.item.query, case.ranking)) for case in gold)
        found["nDCG@10 with reranker lexical"] = round(fmean(reranked), 4)
    return found


def short(cases: Cases, cut: float | None = None) -> dict[str, float]:
    """Return mean weight over languages, and F1 of abstaining over all their queries, with a cut of the evidence."""
    reader = ExtractiveReader() if cut is None else ExtractiveReader(min_evidence=cut)
    weights: list[float] = []
    everything: list[Case] = []
    readings: list[Reading] = []
    for own in cases.values():
        read = [reader.read(case.item.query, context(case)) for case in own]
        graded = [weight(case.item, r) for case, r in zip(own, read, strict=True) if case.item.answerable]
        weights.append(fmean(graded))
        everything += own
        readings += read
    return {"mean_weight": round(fmean(weights), 4), **abstention(everything, readings)}


def varied(name: str, data: Mapping[str, Cases]) -> dict[str, object]:
    """Return the figures with one constant left out, and with it twice as great."""
    figures: dict[str, object] = {}
    for factor in (0, 2):
        with _constant(name, getattr(evidence, name) * factor):
            figures[f"x {factor}"] = {key: short(cases) for key, cases in data.items()}
    return figures


def context(case: Case) -> tuple[Hit, ...]:
    """Return what the default system shows its reader."""
    return fill_context(case.ranking, CONTEXT_K, CONTEXT_CHARS)


_JUDGE = OfflineJudge()


def weight(item: Item, reading: Reading) -> float:
    """Return the weight of an answer's grade; where the reference is a span, whether the answer holds it."""
    if item.type == "span":
        return float(item.reference in reading.text)
    grade = _JUDGE.grade(item, Answer(item.query, reading.text, reading.outcome, ())).grade
    return WEIGHTS[grade] if grade is not None else 0.0


def abstention(cases: Sequence[Case], readings: Sequence[Reading]) -> dict[str, float]:
    """Return precision, recall and F1 of abstaining from unanswerable queries."""
    silent = [reading.outcome is AnswerOutcome.ABSTAINED for reading in readings]
    right = sum(not case.item.answerable for case, abstained in zip(cases, silent, strict=True) if abstained)
    wanted = sum(not case.item.answerable for case in cases)
    return {
        "abstained": sum(silent),
        "precision": round(right / max(sum(silent), 1), 3),
        "recall": round(right / max(wanted, 1), 3),
        "f1": round(2 * right / max(sum(silent) + wanted, 1), 3),
    }


def ndcg(item: Item, hits: Sequence[Hit]) -> float:
    """Return nDCG@10 with every gold chunk of relevance 1."""
    gold = {doc_id for group in item.gold for doc_id in group}
    gains = (1 / math.log2(place + 2) for place, hit in enumerate(hits[:10]) if hit.chunk.doc_id in gold)
    return sum(gains) / sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))


def _ranked(chunks: Sequence[Chunk], items: Sequence[Item]) -> list[Case]:
    retriever = HybridRetriever(UseMultilingualEmbedder())
    retriever.index(chunks)
    oracle = GoldRetriever({item.key: item.gold for item in items})
    oracle.index(chunks)
    rankings = retriever.retrieve_batch([item.query for item in items], TOP_K)
    pairs = zip(items, rankings, strict=True)
    return [Case(item, ranking, oracle.retrieve(item.query, TOP_K)) for item, ranking in pairs]


def _without_gold(case: Case) -> Case:
    gold = {hit.chunk.doc_id for hit in case.gold}
    rest = [hit for hit in case.ranking if hit.chunk.doc_id not in gold]
    ranking = [replace(hit, rank=rank) for rank, hit in enumerate(rest, start=1)]
    return Case(replace(case.item, answerable=False, gold=()), ranking, ())


@contextmanager
def _constant(name: str, value: float) -> Iterator[None]:
    before = getattr(evidence, name)
    setattr(evidence, name, value)
    try:
        yield
    finally:
        setattr(evidence, name, before)


if __name__ == "__main__":
    sys.exit(main())
