from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.retrieve.sparse.evaluation import evaluate_sparse_model

WORDS = ["boat", "nine", "kitchen", "sunday", "dog", "лодка", "кухня", "船"]
CORPUS = {
    "d 2": "kitchen sunday sunday",
    "d1": "boat nine",
    "д3": "кухня лодка",
    "d4": "dog dog boat",
    "文5": "船",
}
QUERIES = {"q1": "boat nine", "q2": "кухня", "q3": "船", "unjudged": "dog"}
QRELS = {"q1": {"d1": 1, "d4": 0}, "q2": {"д3": 1}, "q3": {"文5": 1}, "gone": {"d1": 1}}


class Bag:
    """Word counts; `name` is its text form."""

    def __init__(self, name: str = "bag") -> None:
        self.name, self.calls = name, 0

    def __repr__(self) -> str:
        return self.name

    def encode_documents(self, texts: list[str]) -> list[dict[int, float]]:
        self.calls += 1
        return [{WORDS.index(word): float(n) for word, n in Counter(text.split()).items()} for text in texts]

    def encode_queries(self, texts: list[str]) -> list[dict[int, float]]:
        return [{WORDS.index(word): 1.0 for word in text.split()} for text in texts]


def evaluated(
    model: Bag, cache: Path | None = None, corpus: dict[str, str] | None = None, batch_size: int = 512
) -> dict[str, float]:
    return evaluate_sparse_model(model, corpus or CORPUS, QUERIES, QRELS, len(WORDS), cache, batch_size)


def test_e12_the_five_steps_give_the_keys_and_count_the_missing_query_as_0(capsys: pytest.CaptureFixture[str]) -> None:
    scores = evaluated(Bag())
    assert list(scores) == [
        "nDCG@1", "nDCG@5", "nDCG@10", "nDCG@100", "Recall@1", "Recall@5", "Recall@10", "Recall@100", "MAP", "MRR",
    ]  # fmt: skip
    # q1, q2 and q3 find their document first; `gone` has judgements and no text.
    assert set(scores.values()) == {3 / 4}
    assert "Evaluating 3 / 4 queries" in capsys.readouterr().err


@pytest.mark.parametrize("batch_size", [1, 2, 512])
def test_e12_batches_and_the_order_of_the_corpus_change_nothing(batch_size: int) -> None:
    turned = dict(reversed(CORPUS.items()))
    assert evaluated(Bag(), corpus=turned, batch_size=batch_size) == evaluated(Bag())


# With one document each, none that somebody judged is left.
@pytest.mark.filterwarnings("ignore:warning.id-mismatch")
def test_e12_k_cuts_the_lists() -> None:
    qrels = {"q1": {"d4": 1}}
    full = evaluate_sparse_model(Bag(), CORPUS, QUERIES, qrels, len(WORDS))
    cut = evaluate_sparse_model(Bag(), CORPUS, QUERIES, qrels, len(WORDS), k=1)
    # d4 is the second of two documents with a boat.
    assert full["MRR"] == 0.5
    assert full["nDCG@5"] == pytest.approx(1 / math.log2(3))
    assert (cut["MRR"], cut["Recall@100"]) == (0, 0)


def test_e11_the_second_time_the_cache_is_read(tmp_path: Path) -> None:
    first, second = Bag(), Bag()
    assert evaluated(first, tmp_path / "bag" / "set") == evaluated(second, tmp_path / "bag" / "set")
    assert (first.calls, second.calls) == (1, 0)
    assert {path.name for path in (tmp_path / "bag" / "set").iterdir()} >= {"corpus.npz", "idf.npy", "doc_ids.txt"}


def test_e11_a_stale_cache_is_told_and_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(Bag(), tmp_path)
    capsys.readouterr()
    changed = {**CORPUS, "d1": "boat nine nine"}
    for model, corpus in ((Bag(), changed), (Bag("another"), changed)):
        evaluated(model, tmp_path, corpus)
        assert model.calls == 1
        assert "encoding anew" in capsys.readouterr().err
    again = Bag("another")
    evaluated(again, tmp_path, changed)
    assert again.calls == 0
    assert "anew" not in capsys.readouterr().err


def test_e16_queries_of_another_split_are_an_error() -> None:
    with pytest.raises(InputError, match=r"error\[wrong-split\]: none of the 1 judged queries, such as 'dev1'"):
        evaluate_sparse_model(Bag(), CORPUS, QUERIES, {"dev1": {"d1": 1}}, len(WORDS))
