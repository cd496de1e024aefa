from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from fakes import chunk, hits
from ragaliq.errors import ConfigError
from ragaliq.rerank.cross_encoder import CrossEncoderReranker, sigmoid
from ragaliq.types import Hit, Query

pytestmark = pytest.mark.hf

TEXTS = {
    "en": (
        "When does the boat leave?",
        "The supply boat leaves the harbour at nine.",
        "The kitchen is closed.",
        "Dogs",
    ),
    "de": ("Wann fährt das Schiff?", "Das Schiff verlässt den Hafen um neun.", "Die Küche ist zu.", "Hunde"),
    "fr": ("Quand part le bateau ?", "Le bateau quitte le port à neuf heures.", "La cuisine est fermée.", "Chiens"),
    "es": ("¿Cuándo sale el barco?", "El barco sale del puerto a las nueve.", "La cocina cierra.", "Perros"),
    "ru": ("Когда выходит судно?", "Судно выходит из порта в девять.", "Кухня закрыта.", "Собаки"),
    "zh": ("船几点离开？", "补给船九点离开港口。", "厨房周日关门。", "狗"),
}


@pytest.fixture
def model(cross: str) -> str:
    return cross


def asked(lang: str = "en") -> Query:
    return Query("q1", lang, TEXTS[lang][0])


def found(lang: str = "en") -> list[Hit]:
    return hits(*TEXTS[lang][1:], lang=lang)


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")]


def oracle(model: str, pairs: Sequence[tuple[str, str]], *, raw: bool = False) -> list[float]:
    """The scores by transformers alone, each pair by itself."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer, weights = AutoTokenizer.from_pretrained(model), AutoModelForSequenceClassification.from_pretrained(model)
    with torch.no_grad():
        logits = [weights.eval()(**tokenizer(*pair, return_tensors="pt")).logits[0, 0] for pair in pairs]
    return [float(logit if raw else logit.sigmoid()) for logit in logits]


@pytest.mark.parametrize("calibration", ["sigmoid", "none"])
def test_scores_are_those_of_another_implementation(model: str, calibration: str) -> None:
    reranker = CrossEncoderReranker(model, batch_size=2, device="cpu", calibration=calibration)
    for lang in TEXTS:
        query, before = asked(lang), found(lang)
        after = reranker.rerank(query, before)
        expected = oracle(model, [(query.text, hit.chunk.text) for hit in before], raw=calibration == "none")
        assert {hit.chunk.doc_id: hit.score for hit in after} == pytest.approx(
            {hit.chunk.doc_id: score for hit, score in zip(before, expected, strict=True)}, abs=1e-5
        ), lang
        assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
        assert len({round(score, 4) for score in expected}) == 3, "the model must tell the texts apart"
        assert [hit.rank for hit in after] == [1, 2, 3]
        assert {hit.chunk for hit in after} == {hit.chunk for hit in before}


def test_a_title_is_read_before_its_text(model: str) -> None:
    titled = Hit(chunk("d1", "It leaves at nine.", title="The supply boat"), 1, 1)
    score = CrossEncoderReranker(model, device="cpu").rerank(asked(), [titled])[0].score
    pairs = [(asked().text, "The supply boat\nIt leaves at nine."), (asked().text, "It leaves at nine.")]
    with_title, without = oracle(model, pairs)
    assert score == pytest.approx(with_title, abs=1e-5)
    assert abs(score - without) > 1e-4


def test_the_batch_size_changes_no_score(model: str) -> None:
    texts = ["boat " * n + "leaves the harbour" for n in (1, 30, 2, 17, 9, 5, 3)]
    one, many = (
        CrossEncoderReranker(model, batch_size=size, device="cpu").rerank(asked(), hits(*texts)) for size in (1, 4)
    )
    assert [hit.chunk for hit in one] == [hit.chunk for hit in many]
    assert [hit.score for hit in one] == pytest.approx([hit.score for hit in many], abs=1e-5)


def test_equal_texts_go_by_doc_id_descending(model: str) -> None:
    same = [Hit(chunk(doc_id, "The boat leaves at nine."), 1, 1) for doc_id in ("d2", "d10", "d3", "d1")]
    after = CrossEncoderReranker(model, device="cpu").rerank(asked(), same)
    assert [hit.chunk.doc_id for hit in after] == ["d3", "d2", "d10", "d1"]
    assert len({hit.score for hit in after}) == 1


def test_beyond_the_depth_the_old_order_stays(model: str) -> None:
    lang = "zh"
    before = [*found(lang), Hit(chunk("x", "九 neun", lang), 0.2, 4), Hit(chunk("w", "nueve", lang), 0.1, 5)]
    first = CrossEncoderReranker(model, device="cpu").rerank(asked(lang), before[:3])
    after = CrossEncoderReranker(model, device="cpu", depth=3).rerank(asked(lang), before)
    assert after[:3] == first
    assert [(hit.chunk.doc_id, hit.score, hit.rank) for hit in after[3:]] == [
        ("x", first[-1].score - 1, 4),
        ("w", first[-1].score - 2, 5),
    ]


def test_the_threshold_takes_what_is_not_above_it(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    best, middle, worst = CrossEncoderReranker(model, device="cpu").rerank(asked(), found())
    reranker = CrossEncoderReranker(model, device="cpu", threshold=middle.score)
    assert reranker.rerank(asked(), found()) == [best]
    assert reranker.removed == 2
    assert CrossEncoderReranker(model, device="cpu", threshold=worst.score).rerank(asked(), found()) == [best, middle]
    assert notes(capsys) == []


def test_without_a_threshold_negative_logits_stay(model: str) -> None:
    raw = CrossEncoderReranker(model, device="cpu", calibration="none").rerank(asked(), found())
    assert raw[-1].score < 0, "the test needs a negative logit"
    assert len(raw) == 3


@pytest.mark.parametrize(("keep", "left"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_the_best_are_kept_and_it_is_told_once(
    model: str, keep: int, left: int, capsys: pytest.CaptureFixture[str]
) -> None:
    reranker = CrossEncoderReranker(model, device="cpu", threshold=1.5, keep=keep)
    whole = CrossEncoderReranker(model, device="cpu").rerank(asked(), found())
    assert reranker.rerank(asked(), found()) == whole[:left]
    assert len(reranker.rerank(asked("de"), found("de"))) == left
    assert reranker.removed == 2 * (3 - left)
    told = notes(capsys)
    assert len(told) == (left < 3)
    for line in told:
        assert (
            f"no chunk is above the threshold 1.5 for query 'q1' (en), perhaps for more; the best {keep} stay" in line
        )


def test_what_was_not_ranked_falls_with_what_was(model: str) -> None:
    best, worst = CrossEncoderReranker(model, device="cpu").rerank(asked(), found()[:2])
    between = (best.score + worst.score) / 2
    reranker = CrossEncoderReranker(model, device="cpu", threshold=between, depth=2)
    assert reranker.rerank(asked(), found()) == [best]
    assert reranker.removed == 2
    all_pass = CrossEncoderReranker(model, device="cpu", threshold=worst.score / 2, depth=2)
    assert [hit.chunk.doc_id for hit in all_pass.rerank(asked(), found())][2:] == ["d3"]


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"calibration": "softmax"}, "unknown calibration 'softmax'"),
        ({"dtype": "int8"}, "unknown dtype 'int8'; known: bfloat16, float16, float32"),
        ({"batch_size": 0}, "'batch_size' is at least 1"),
        ({"depth": -1}, "'keep' and 'depth' are at least 0"),
        ({"keep": -1}, "'keep' and 'depth' are at least 0"),
    ],
)
def test_options_that_cannot_work_are_refused_before_a_model_is_loaded(option: dict[str, int], words: str) -> None:
    with pytest.raises(ConfigError, match=f"reranker 'cross-encoder:no/model': .*{words}"):
        CrossEncoderReranker("no/model", **option)  # type: ignore[arg-type]


def test_nothing_is_loaded_for_nothing() -> None:
    reranker = CrossEncoderReranker("no/model")
    assert reranker.rerank(asked(), []) == []
    assert (str(reranker), reranker.removed, reranker.cut) == ("cross-encoder:no/model", 0, 0)


def test_the_sigmoid_by_hand() -> None:
    assert sigmoid(0) == 0.5
    assert sigmoid(math.log(3)) == pytest.approx(0.75)
    assert sigmoid(-math.log(3)) == pytest.approx(0.25)
    assert (sigmoid(1000), sigmoid(-1000)) == (1, 0)
