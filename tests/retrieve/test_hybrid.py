from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.errors import InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, DenseRetriever, HybridRetriever, normalised_sum
from ragaliq.types import Query

Make = Callable[[], HybridRetriever]
ROOT = Path(__file__).resolve().parents[2]
CORPUS = {
    "en": ("When does the boat sail?", "The boats sail at nine.", "The kitchen is closed."),
    "de": ("Wann fährt das Boot?", "Das Boot fährt um neun.", "Die Küche ist zu."),
    "fr": ("Quand part le bateau ?", "Les bateaux partent à neuf heures.", "La cuisine est fermée."),
    "es": ("¿Cuándo sale el barco?", "Los barcos salen a las nueve.", "La cocina cierra."),
    "ru": ("Когда уходит лодка?", "Лодки уходят в девять.", "Кухня закрыта."),
    "zh": ("船几点开？", "船九点开。", "厨房关门了。"),
}
CHUNKS = [chunk(f"d{i}", text, lang) for lang, (_, *texts) in CORPUS.items() for i, text in enumerate(texts, start=1)]
RETRIEVERS: list[Make] = [
    lambda: HybridRetriever(CharNgramEmbedder(256)),
    lambda: DenseRetriever(CharNgramEmbedder(256)),
    lambda: Bm25Retriever(CharNgramEmbedder(256)),
]
# Multiples of 2⁻⁴: sums are exact, ties are frequent.
SCORES = st.integers(-32, 64).map(lambda n: n / 16)

DETERMINISM = """
import json, sys
from pathlib import Path
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.retrieve.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import Bm25Retriever, HybridRetriever
from ragaliq.types import Chunk, Query

def rows(kind, lang):
    return [json.loads(line) for line in (Path(sys.argv[1]) / kind / f"{lang}.jsonl").read_text("utf-8").splitlines()]

for lang in ("en", "de", "fr", "es", "ru", "zh"):
    chunks = [Chunk(r["doc_id"], lang, r["text"], "", 0, len(r["text"]), r["title"]) for r in rows("corpus", lang)]
    for retriever in (Bm25Retriever(CharNgramEmbedder()), HybridRetriever(CharNgramEmbedder())):
        retriever.index(chunks)
        for row in rows("queries", lang)[::2]:
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
    retriever = HybridRetriever(Axes("red", "boat", "sail"))
    retriever.index([chunk("a", "red boat"), chunk("b", "red train"), chunk("c", "green train"), chunk("d", "sail")])
    # Words: `boat` and `red` score a; `red` alone scores b. Vectors: a has the cosine 1, b 1/√2.
    a, b = retriever.retrieve(Query("q1", "en", "red boat"), 10)
    idf_boat, idf_red = np.log(1 + (4 - 1 + 0.5) / (1 + 0.5)), np.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert (a.chunk.doc_id, a.score) == ("a", 1 + 1)
    assert b.chunk.doc_id == "b"
    # Lengths are equal, so the share of the best is that of the idf; scores are rounded to six digits twice.
    assert b.score == pytest.approx(idf_red / (idf_red + idf_boat) + 1 / np.sqrt(2), abs=2e-6)


def test_single_channels_ask_only_their_own_side() -> None:
    embedder = Axes("red")
    words = Bm25Retriever(embedder)
    words.index([chunk("a", "blue boat"), chunk("b", "red")])
    assert [hit.chunk.doc_id for hit in words.retrieve(Query("q1", "en", "boat"), 5)] == ["a"]
    assert embedder.sides == []
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


def test_hash_seeds_change_neither_hits_nor_answers(sample: Path) -> None:
    def start(seed: int) -> subprocess.Popen[bytes]:
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(seed)}
        return subprocess.Popen([sys.executable, "-c", DETERMINISM, str(sample)], env=env, stdout=subprocess.PIPE)

    first, second = (process.communicate()[0] for process in [start(1), start(2)])
    assert first.count(b"\n") == 6 * 2 * 54 / 2
    assert first == second


def test_the_sum_by_hand() -> None:
    words, vectors = np.array([4.0, 1.0, 0.0, 0.0]), np.array([0.25, 0.5, -0.5, 0.0])
    assert normalised_sum([words, vectors]).tolist() == [4 / 4 + 0.25 / 0.5, 1 / 4 + 0.5 / 0.5, 0, 0]
    assert normalised_sum([words]).tolist() == [1, 1 / 4, 0, 0]


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, [1, 0, 0, 0, 0]),
        (2, [1, 3 / 4, 3 / 4, 0, 0]),  # a tie at the cut: both stay
        (3, [1, 3 / 4, 3 / 4, 0, 0]),
        (4, [1, 3 / 4, 3 / 4, 1 / 4, 0]),
        (5, [1, 3 / 4, 3 / 4, 1 / 4, 0]),
    ],
)
def test_only_the_best_of_a_channel_keep_their_score(depth: int, expected: list[float]) -> None:
    assert normalised_sum([np.array([4.0, 3.0, 3.0, 1.0, -1.0])], depth).tolist() == expected


def test_scores_equal_to_six_digits_are_a_tie() -> None:
    assert normalised_sum([np.array([1.0, 1.0 - 1e-9, 1e-9])]).tolist() == [1, 1, 0]


@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.lists(SCORES, min_size=n, max_size=n), min_size=1, max_size=3)))
def test_sums_are_between_0_and_the_number_of_channels(rows: list[list[float]]) -> None:
    channels = [np.array(row) for row in rows]
    found = normalised_sum(channels)
    assert all(0 <= score <= len(rows) for score in found)
    assert [row.tolist() for row in channels] == rows, "the scores of a channel were written into"
    for i, score in enumerate(found):
        assert (score > 0) == any(row[i] > 0 for row in rows)
    silent = np.full(len(found), -1.0)
    assert np.array_equal(normalised_sum([*channels, silent]), found)


@given(
    st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=12), st.integers(1, 12), st.randoms(use_true_random=False)
)
def test_neither_the_order_of_texts_nor_of_channels_matters(
    pairs: list[tuple[float, float]], depth: int, random: Random
) -> None:
    words, vectors = np.array(pairs).T
    found = normalised_sum([words, vectors], depth)
    assert np.array_equal(normalised_sum([vectors, words], depth), found)
    order = list(range(len(pairs)))
    random.shuffle(order)
    assert np.array_equal(normalised_sum([words[order], vectors[order]], depth), found[order])


@given(st.lists(SCORES, min_size=1, max_size=12), st.integers(1, 12))
def test_at_least_depth_texts_stay_and_none_that_is_worse(scores: list[float], depth: int) -> None:
    found = normalised_sum([np.array(scores)], depth)
    kept, lost = ([s for s, f in zip(scores, found, strict=True) if bool(f > 0) is side] for side in (True, False))
    assert len(kept) >= min(depth, sum(score > 0 for score in scores))
    assert all(score <= 0 or score < min(kept) for score in lost)
    assert len([score for score in kept if score > min(kept)]) < depth
