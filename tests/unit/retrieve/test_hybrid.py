from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.components import make as make_component
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import DEPTH, Bm25Retriever, CharRetriever, DenseRetriever, HybridRetriever
from ragaliq.types import Query
from unit.retrieve.corpus import CHUNKS, CORPUS

Make = Callable[[], ChannelRetriever]
ROOT = Path(__file__).resolve().parents[3]
RETRIEVERS: list[Make] = [
    lambda: HybridRetriever(UseMultilingualEmbedder()),
    lambda: HybridRetriever(CharNgramEmbedder(256)),
    lambda: DenseRetriever(CharNgramEmbedder(256)),
    Bm25Retriever,
    CharRetriever,
]
TERMS = st.sampled_from(["red", "boats", "boat", "船", "лодка", "नाव", "เรือ", "sail", "Ö"])
TEXT = st.lists(TERMS, max_size=5).map(" ".join)
IDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3)

DETERMINISM = """
import json, sys
from pathlib import Path
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, HybridRetriever
from ragaliq.types import Chunk, Query

def rows(kind, lang):
    return [json.loads(line) for line in (Path(sys.argv[1]) / kind / f"{lang}.jsonl").read_text("utf-8").splitlines()]

for lang in ("en", "de", "fr", "es", "ru", "zh"):
    chunks = [Chunk(r["doc_id"], lang, r["text"], "", 0, len(r["text"]), r["title"]) for r in rows("corpus", lang)]
    for retriever in (Bm25Retriever(), HybridRetriever(UseMultilingualEmbedder())):
        retriever.index(chunks)
        for row in rows("queries", lang)[::6]:
            query = Query(row["query_id"], lang, row["text"])
            hits = retriever.retrieve(query, 10)
            reading = ExtractiveReader().read(query, hits)
            print(ascii((lang, row["query_id"], [(h.chunk.doc_id, h.score, h.rank) for h in hits], reading)))
"""


class Axes:
    """An embedder with one axis for each of a few words, that counts its calls."""

    def __init__(self, *words: str) -> None:
        self.words, self.sides = words, list[Side]()

    def __str__(self) -> str:
        return f"axes {self.words}"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        self.sides.append(side)
        counts = np.array([[word in text for word in self.words] for text in texts], dtype=np.float32)
        return np.asarray(counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1), dtype=np.float32)


@pytest.mark.parametrize("make", RETRIEVERS)
@pytest.mark.parametrize("lang", CORPUS)
def test_the_chunk_that_answers_comes_first_and_languages_are_kept_apart(make: Make, lang: str) -> None:
    retriever = make()
    retriever.index(CHUNKS)
    found = retriever.retrieve(Query("q1", lang, CORPUS[lang][0]), 10)
    assert found[0].chunk == chunk("d1", CORPUS[lang][1], lang)
    assert {hit.chunk.lang for hit in found} == {lang}
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))


def test_channels_are_added_each_by_its_best() -> None:
    retriever = HybridRetriever(Axes("red", "boat", "sail"), channels=["words", "vectors"])
    retriever.index([chunk("a", "red boat"), chunk("b", "red train"), chunk("c", "green train"), chunk("d", "sail")])
    # Words: `boat` and `red` score a; `red` alone scores b. Vectors: a has the cosine 1, b 1/√2.
    a, b = retriever.retrieve(Query("q1", "en", "red boat"), 10)
    idf_boat, idf_red = np.log(1 + (4 - 1 + 0.5) / (1 + 0.5)), np.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert (a.chunk.doc_id, a.score) == ("a", 1 + 1)
    assert b.chunk.doc_id == "b"
    # Lengths are equal, so the share of the best is that of the idf; scores are rounded to six digits twice.
    assert b.score == pytest.approx(idf_red / (idf_red + idf_boat) + 1 / np.sqrt(2), abs=2e-6)


def test_the_vector_channel_asks_the_embedder_for_its_side() -> None:
    embedder = Axes("red")
    vectors = DenseRetriever(embedder)
    vectors.index([chunk("a", "blue boat"), chunk("b", "a red one")])
    assert [hit.chunk.doc_id for hit in vectors.retrieve(Query("q1", "en", "red boat"), 5)] == ["b"]
    assert embedder.sides == [Side.PASSAGE, Side.QUERY]


@pytest.mark.parametrize("make", RETRIEVERS)
def test_ties_go_by_doc_id_descending_and_top_k_cuts(make: Make) -> None:
    retriever = make()
    retriever.index([chunk(doc_id, "red boat") for doc_id in ("d2", "d10", "d3", "d1")])
    query = Query("q1", "en", "boat")
    assert [hit.chunk.doc_id for hit in retriever.retrieve(query, 10)] == ["d3", "d2", "d10", "d1"]
    assert [hit.chunk.doc_id for hit in retriever.retrieve(query, 2)] == ["d3", "d2"]
    assert retriever.retrieve(query, 0) == []


@pytest.mark.parametrize("make", RETRIEVERS)
def test_without_evidence_nothing_is_returned(make: Make) -> None:
    retriever = make()
    retriever.index([chunk("d1", "red boat"), chunk("d2", "…")])
    assert retriever.retrieve(Query("q1", "en", "?!"), 10) == []
    assert [hit.chunk.doc_id for hit in retriever.retrieve(Query("q1", "en", "boat"), 10)] == ["d1"]


@pytest.mark.parametrize("make", RETRIEVERS)
def test_a_title_is_indexed_with_its_text(make: Make) -> None:
    retriever = make()
    retriever.index([chunk("d1", "It is old.", title="Boats"), chunk("d2", "It is new.")])
    assert retriever.retrieve(Query("q1", "en", "boats"), 1)[0].chunk.doc_id == "d1"


def test_a_new_corpus_replaces_that_of_its_language_alone() -> None:
    retriever = HybridRetriever(CharNgramEmbedder(64))
    retriever.index(CHUNKS)
    retriever.index([chunk("new", "A new boat.")])
    assert [hit.chunk.doc_id for hit in retriever.retrieve(Query("q1", "en", CORPUS["en"][0]), 10)] == ["new"]
    assert retriever.retrieve(Query("q1", "zh", CORPUS["zh"][0]), 1)[0].chunk.doc_id == "d1"


def test_a_language_without_a_corpus_is_an_input_error() -> None:
    retriever = HybridRetriever(CharNgramEmbedder(64))
    retriever.index(CHUNKS)
    with pytest.raises(InputError, match="query 'q7': no corpus is indexed for 'it'"):
        retriever.retrieve(Query("q7", "it", "Quando parte la barca?"), 10)


def test_an_index_on_disk_gives_the_same_hits_as_one_in_memory(tmp_path: Path) -> None:
    def run(folder: Path | None) -> list[str]:
        retriever = HybridRetriever(CharNgramEmbedder(64), folder)
        retriever.index(CHUNKS)
        return [repr(retriever.retrieve(Query("q1", lang, CORPUS[lang][0]), 10)) for lang in CORPUS]

    assert run(tmp_path) == run(None) == run(tmp_path)


@pytest.mark.slow
def test_hash_seeds_change_neither_hits_nor_answers(sample: Path) -> None:
    def start(seed: int) -> subprocess.Popen[bytes]:
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(seed)}
        return subprocess.Popen([sys.executable, "-c", DETERMINISM, str(sample)], env=env, stdout=subprocess.PIPE)

    first, second = (process.communicate()[0] for process in [start(1), start(2)])
    assert first.count(b"\n") == 6 * 2 * 174 / 6
    assert first == second


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(IDS, TEXT, min_size=1, max_size=8),
    st.lists(TEXT, min_size=1, max_size=5),
    st.integers(-1, 12),
    st.sampled_from(RETRIEVERS),
    st.randoms(use_true_random=False),
)
def test_a_batch_is_its_queries_one_by_one_and_the_order_of_the_corpus_is_nothing(
    texts: dict[str, str], asked: list[str], top_k: int, make: Make, random: Random
) -> None:
    chunks = [chunk(doc_id, text) for doc_id, text in texts.items()]
    queries = [Query(f"q{number}", "en", text) for number, text in enumerate(asked)]
    retriever, other = make(), make()
    retriever.index(chunks)
    random.shuffle(chunks)
    other.index(chunks)
    together = retriever.retrieve_batch(queries, top_k)
    assert together == [other.retrieve(query, top_k) for query in queries]
    for found in together:
        assert len(found) <= max(top_k, 0)
        assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
        assert found == sorted(found, key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True)
        assert all(hit.score > 0 for hit in found)
    whole = retriever.retrieve_batch(queries, 1000)
    # No channel is deeper here than its depth, so asking for more only adds.
    assert [found[: max(top_k, 0)] for found in whole] == together


def test_a_batch_may_mix_languages_and_be_empty() -> None:
    retriever = HybridRetriever(CharNgramEmbedder())
    retriever.index(CHUNKS)
    queries = [Query(lang, lang, question) for lang, (question, *_) in CORPUS.items()] * 2
    assert retriever.retrieve_batch(queries, 3) == [retriever.retrieve(query, 3) for query in queries]
    assert retriever.retrieve_batch([], 3) == []
    with pytest.raises(InputError, match="query 'it': no corpus is indexed for 'it'"):
        retriever.retrieve_batch([*queries, Query("it", "it", "barca")], 3)


def test_a_single_channel_scores_as_it_does() -> None:
    texts = ["red boat", "red boat boat sail"]
    words, chars, vectors = Bm25Retriever(), CharRetriever(), DenseRetriever(Axes("red", "sail"))
    for retriever in (words, chars, vectors):
        retriever.index([chunk(f"d{number}", text) for number, text in enumerate(texts)])
    query = Query("q1", "en", "red")
    # N = 2, df = 2, average length 3.
    idf = np.log(1 + 0.5 / 2.5)
    expected = idf / (1 + 0.9 * (0.6 + 0.4 * 2 / 3))
    assert words.retrieve(query, 1)[0].score == pytest.approx(expected, abs=1e-6)
    assert [hit.score for hit in vectors.retrieve(query, 2)] == [1, round(1 / np.sqrt(2), 6)]
    assert [hit.chunk.doc_id for hit in chars.retrieve(query, 2)] == ["d0", "d1"]


def test_the_depth_cuts_each_channel_and_top_k_deepens_it() -> None:
    # Words rank a, b, c; vectors rank c alone.
    chunks = [chunk("a", "boat"), chunk("b", "boat rope"), chunk("c", "boat rope mast")]
    query = Query("q1", "en", "boat")

    def run(depth: int, top_k: int) -> dict[str, float]:
        retriever = HybridRetriever(Axes("mast"), channels=["words", "vectors"], depth=depth)
        retriever.index(chunks)
        found = retriever.retrieve_batch([query, Query("q2", "en", "boat mast")], top_k)
        return {hit.chunk.doc_id: hit.score for hit in found[1]}

    shallow, deep = run(1, 1), run(3, 3)
    assert shallow == {"c": 2.0}
    assert list(run(1, 3)) == list(deep) == ["c", "a", "b"]
    assert run(1, 2) == {"c": 2.0, "a": deep["a"]}
    assert DEPTH == 100


@pytest.mark.parametrize("fusion", ["normalised-sum", "rrf"])
def test_fusions_by_hand(fusion: str) -> None:
    retriever = HybridRetriever(Axes("sail"), channels=["words", "vectors"], fusion=fusion)
    retriever.index([chunk("a", "red boat"), chunk("b", "red sail"), chunk("c", "rope")])
    found = retriever.retrieve(Query("q1", "en", "boat sail"), 3)
    # Words: a and b tie, b has the greater id. Vectors: b alone.
    expected = {"normalised-sum": [2.0, 1.0], "rrf": [round(1 / 61 + 1 / 61, 6), round(1 / 62, 6)]}
    assert [(hit.chunk.doc_id, hit.score) for hit in found] == list(zip("ba", expected[fusion], strict=True))


def test_titles_can_be_left_out() -> None:
    for make in (lambda: Bm25Retriever(title=False), lambda: HybridRetriever(CharNgramEmbedder(), title=False)):
        retriever: ChannelRetriever = make()
        retriever.index([chunk("d1", "Quite new.", title="Boats"), chunk("d2", "Old boats.")])
        assert [hit.chunk.doc_id for hit in retriever.retrieve(Query("q1", "en", "boats"), 5)] == ["d2"]


def test_options_reach_the_channels() -> None:
    chunks = [chunk("a", "the boat"), chunk("b", "boats boats boats and a long tail of words")]
    query = Query("q1", "en", "the boats")

    def run(**options: Any) -> list[str]:
        retriever = make_component("retriever", Component("bm25", "", options), embedder=None, index_dir=None)
        retriever.index(chunks)
        return [hit.chunk.doc_id for hit in retriever.retrieve(query, 5)]

    assert run() == ["a", "b"]
    assert run(stopwords="lucene", b=0) == ["b", "a"]
    assert run(stopwords=["the"], stemmer=False) == ["b"]
    assert run(stopwords=["the"], k1=0, b=0) == ["b", "a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fusion": "rff"}, "unknown fusion 'rff'; did you mean 'rrf'"),
        ({"depth": 0}, "'depth' must be at least 1, not 0"),
        ({"k1": -1}, "'k1' must be at least 0"),
        ({"channels": []}, "'channels' must be a list such as"),
        ({"channels": "words"}, "'channels' must be a list such as"),
        ({"channels": ["words", "words"]}, "channel 'words' occurs twice"),
        ({"channels": ["wrods"]}, "unknown channel 'wrods'; did you mean 'words'"),
        ({"channels": [7]}, "a component is KIND"),
        ({"channels": ["python:no_such_module:Thing"]}, "no_such_module:Thing': ModuleNotFoundError: .*check module"),
        ({"channels": [{"kind": "bm25", "k2": 1}]}, "unknown option 'k2'; known: b, k1,"),
        ({"search": "aproximate"}, "unknown search 'aproximate'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_component("retriever", Component("hybrid", "", options), embedder=Axes("red"), index_dir=None)
