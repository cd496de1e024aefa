from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.retrieve.index.approximate import ApproximateChannel
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Query
from unit.retrieve.corpus import CHUNKS, CORPUS

Vectors = NDArray[np.float32]
N = 4000
IDS = sorted(f"d{number}" for number in range(N))
PASSAGES = Passages("en", [chunk(name, name) for name in IDS])


@cache
def direction(text: str) -> Vectors:
    row = np.random.default_rng(list(text.encode())).normal(size=96)
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


class Random:
    """A direction of its own for each text, the same each time: the hardest case for an approximate index."""

    def __str__(self) -> str:
        return "random"

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        return np.array([direction(text) for text in texts])


class Table:
    """A vector for each text, by hand."""

    def __init__(self, **vectors: Sequence[float]) -> None:
        self.vectors = vectors

    def __str__(self) -> str:
        return f"table {self.vectors}"

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@pytest.fixture(scope="module")
def channel(index: Path) -> ApproximateChannel:
    return ApproximateChannel(PASSAGES, Random(), VectorStore(index), width=200)


def exact(question: str) -> NDArray[np.float64]:
    both = Random().embed([question, *IDS], Side.PASSAGE).astype(np.float64)
    return np.asarray(both[1:] @ both[0])


def search(channel: ApproximateChannel, question: str, k: int) -> list[tuple[int, float]]:
    (found,) = channel.search([Query("q1", "en", question)], k)
    return [(int(doc), float(score)) for doc, score in zip(found.docs, found.scores, strict=True)]


def share_found(channel: ApproximateChannel, question: str, top_k: int) -> float:
    """The recall by its definition: sets of texts."""
    best = set(np.argsort(-exact(question))[:top_k].tolist())
    return len(best & {doc for doc, _ in search(channel, question, top_k)}) / top_k


def queries(*texts: str) -> list[Query]:
    return [Query(text, "en", text) for text in texts]


def test_what_is_found_scores_its_cosine_best_first(channel: ApproximateChannel) -> None:
    found, cosines = search(channel, "asked", 150), exact("asked")
    assert len(found) == 150
    assert [score for _, score in found] == pytest.approx([cosines[doc] for doc, _ in found], abs=2e-6)
    assert found == sorted(found, key=lambda pair: (pair[1], pair[0]), reverse=True)
    assert found[0][0] == np.argmax(cosines)


@pytest.mark.parametrize("top_k", [1, 10, 100])
def test_the_recall_is_the_share_of_the_exact_best(index: Path, top_k: int) -> None:
    channel = ApproximateChannel(PASSAGES, Random(), VectorStore(index), width=200)
    questions = [f"question {number}" for number in range(20)]
    channel.prepare(queries(*questions))
    expected = [share_found(channel, question, top_k) for question in questions]
    assert channel.recalls(top_k) == pytest.approx(expected)
    if top_k == 100:
        assert 0.5 < sum(expected) / 20 < 1, "the index must miss something here"


@pytest.mark.slow
def test_the_recall_is_told_once_for_a_language(index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    retriever = DenseRetriever(Random(), index, search="approximate")
    retriever.index([chunk(name, name, "de") for name in IDS])
    asked = [Query(f"q{number}", "de", f"question {number}") for number in range(120)]
    retriever.retrieve(asked[0], 50)
    assert capsys.readouterr().err == ""
    retriever.prepare(asked)
    for query in asked[:2]:
        hits = retriever.retrieve(query, 50)
        assert len(hits) == 50
    told = capsys.readouterr().err
    found = re.fullmatch(
        r"note: approximate search found (\d+\.\d) % of the exact top 50 \(100 queries, lang de\)\n", told
    )
    assert found, told
    exactly = DenseRetriever(Random(), index)
    exactly.index([chunk(name, name, "de") for name in IDS])
    shares = [
        len({hit.chunk for hit in retriever.retrieve(query, 50)} & {hit.chunk for hit in exactly.retrieve(query, 50)})
        for query in asked[:100]
    ]
    assert float(found[1]) == pytest.approx(sum(shares) / 50, abs=0.051)
    assert capsys.readouterr().err == ""


def test_exact_search_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    retriever = HybridRetriever(CharNgramEmbedder(64))
    retriever.index(CHUNKS)
    retriever.prepare([Query("q1", "en", "boat")])
    retriever.retrieve(Query("q1", "en", "boat"), 2)
    assert capsys.readouterr().err == ""


def test_a_wider_search_finds_more(index: Path) -> None:
    questions = [f"question {number}" for number in range(10)]
    narrow, wide = (ApproximateChannel(PASSAGES, Random(), VectorStore(index), width=width) for width in (100, 1000))
    found = [sum(share_found(channel, question, 100) for question in questions) for channel in (narrow, wide)]
    assert found[0] < found[1]


def test_ties_at_the_cut_and_texts_without_evidence_by_hand() -> None:
    table = Table(ask=(1, 0), best=(1, 0), tie=(0.6, 0.8), tied=(0.6, -0.8), off=(0, 1), against=(-1, 0), none=(0, 0))
    texts = ["best", "tie", "tied", "off", "against", "none"]
    passages = Passages("en", [chunk(f"d{number}", text) for number, text in enumerate(texts)])
    whole = ApproximateChannel(passages, table, VectorStore(), width=6)
    assert search(whole, "ask", 6) == [(0, 1), (2, pytest.approx(0.6)), (1, pytest.approx(0.6))]
    assert search(whole, "ask", 2) == [(0, 1), (2, pytest.approx(0.6))]
    assert search(whole, "ask", 0) == search(whole, "none", 6) == []
    whole.prepare(queries("ask", "none"))
    assert whole.recalls(2) == [1], "of two that tie at the cut either will do; a query without evidence is left out"
    assert whole.recalls(6) == [1], "only three of the six have evidence"


@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("kind", [HybridRetriever, DenseRetriever])
def test_on_a_small_corpus_the_ranking_is_the_exact_one(
    kind: type[HybridRetriever] | type[DenseRetriever], in_folder: bool, tmp_path: Path
) -> None:
    folder = tmp_path if in_folder else None
    approximate, exactly = (kind(CharNgramEmbedder(256), folder, "", search) for search in ("approximate", "exact"))
    for retriever in (approximate, exactly):
        retriever.index(CHUNKS)
    for lang, (question, text, _) in CORPUS.items():
        found, expected = (retriever.retrieve(Query("q1", lang, question), 5) for retriever in (approximate, exactly))
        assert [hit.chunk for hit in found] == [hit.chunk for hit in expected]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=3e-6)
        assert found[0].chunk.text == text


def test_the_vectors_of_an_exact_search_serve_an_approximate_one(tmp_path: Path) -> None:
    class Counting(Random):
        passages = 0

        def embed(self, texts: Sequence[str], side: Side) -> Vectors:
            # Fewer are the sample that names the vectors.
            self.passages += side is Side.PASSAGE and len(texts) == 40
            return super().embed(texts, side)

    embedder = Counting()
    for search in ("exact", "approximate", "exact"):
        DenseRetriever(embedder, tmp_path, search=search).index([chunk(name, name) for name in IDS[:40]])
    assert embedder.passages == 1


def test_an_embedder_without_a_name_is_refused() -> None:
    class Nameless:
        def embed(self, texts: Sequence[str], side: Side) -> Vectors:
            raise AssertionError("nothing is embedded")

    with pytest.raises(ConfigError, match="the embedder Nameless needs a method __str__"):
        DenseRetriever(Nameless(), search="approximate").index(CHUNKS)


def test_options_are_checked() -> None:
    with pytest.raises(ConfigError, match="unknown search 'aproximate'; did you mean 'approximate'"):
        HybridRetriever(Random(), search="aproximate")
    made = make("retriever", Component("dense", "", {"search": "approximate"}), embedder=Random(), index_dir=None)
    assert isinstance(made, DenseRetriever)
    with pytest.raises(ConfigError, match="unknown option 'server'"):
        make("retriever", Component("bm25", "", {"server": "http://h"}), embedder=Random(), index_dir=None)
