"""The model behind a cross-encoder: its window, its kinds of output, and what is no such model."""

from __future__ import annotations

import io
import logging
import math
from pathlib import Path

import pytest

from fakes import hits
from models import tiny_bert, tiny_cross_encoder
from ragaliq.errors import ConfigError, InputError
from ragaliq.rerank.cross_encoder import CrossEncoderReranker
from ragaliq.types import Hit, Query

pytestmark = pytest.mark.hf

QUESTION = "When does the boat leave?"


@pytest.fixture
def model(cross: str) -> str:
    return cross


def asked() -> Query:
    return Query("q1", "en", QUESTION)


def found() -> list[Hit]:
    return hits("The supply boat leaves the harbour at nine.", "The kitchen is closed.", "Dogs")


def oracle(model: str, text: str) -> float:
    """The score by transformers alone, the pair by itself."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(model)(QUESTION, text, truncation=True, return_tensors="pt")
    with torch.no_grad():
        return float(AutoModelForSequenceClassification.from_pretrained(model).eval()(**tokens).logits.sigmoid())


def test_a_chunk_longer_than_the_window_is_read_to_its_end_and_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny_cross_encoder(tmp_path / "short", max_length=24)
    start = "The supply boat leaves the harbour " * 6
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger("transformers").addHandler(handler)
    reranker = CrossEncoderReranker(model, device="cpu", batch_size=2)
    after = reranker.rerank(asked(), hits(start + "at nine", "The kitchen", start + "on Sunday"))
    logging.getLogger("transformers").removeHandler(handler)
    by_id = {hit.chunk.doc_id: hit.score for hit in after}
    assert by_id["d1"] == pytest.approx(oracle(model, start + "at nine"), abs=1e-5)
    assert by_id["d1"] == by_id["d3"], "both end beyond the window"
    assert reranker.cut == 2
    reranker.rerank(asked(), hits(start))
    assert reranker.cut == 3
    (told,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")]
    assert "longer than its window of 24 tokens" in told
    assert logged.getvalue() == "", "the tokenizer need not tell it, too"


def test_a_chunk_that_just_fits_is_not_cut(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    model = tiny_cross_encoder(tmp_path / "short", max_length=24)
    text = "boat " * 9
    assert len(AutoTokenizer.from_pretrained(model)(asked().text, text)["input_ids"]) == 24
    reranker = CrossEncoderReranker(model, device="cpu")
    reranker.rerank(asked(), hits(text))
    assert reranker.cut == 0


def test_max_length_narrows_the_window_and_cannot_widen_it(model: str) -> None:
    long = hits("The supply boat leaves the harbour at nine. " * 3)
    whole = CrossEncoderReranker(model, device="cpu")
    narrow = CrossEncoderReranker(model, device="cpu", max_length=16)
    assert whole.rerank(asked(), long)[0].score != narrow.rerank(asked(), long)[0].score
    assert (whole.cut, narrow.cut) == (0, 1)
    with pytest.raises(ConfigError, match="length 129 is above the 128 tokens that it reads"):
        CrossEncoderReranker(model, device="cpu", max_length=129).rerank(asked(), long)


def test_two_logits_give_the_softmax_of_the_second(model: str, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(1)
    two = AutoModelForSequenceClassification.from_pretrained(model, num_labels=2, ignore_mismatched_sizes=True)
    tokenizer = AutoTokenizer.from_pretrained(model)
    two.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    text = found()[0].chunk.text
    with torch.no_grad():
        logits = two(**tokenizer(asked().text, text, return_tensors="pt")).logits[0]
    probability = float(torch.softmax(logits, dim=0)[1])
    assert abs(probability - 0.5) > 1e-3
    calibrated, raw = (
        CrossEncoderReranker(str(tmp_path), device="cpu", calibration=how).rerank(asked(), found()[:1])[0].score
        for how in ("sigmoid", "none")
    )
    assert calibrated == pytest.approx(probability, abs=1e-5)
    assert raw == pytest.approx(float(logits[1] - logits[0]), abs=1e-5)


def test_a_model_in_the_manner_of_roberta_reads_its_whole_window_and_no_more(model: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, XLMRobertaConfig, XLMRobertaForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(model, model_max_length=10**30)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=34,
        pad_token_id=1,
        type_vocab_size=2,
    )
    config.num_labels = 1
    XLMRobertaForSequenceClassification(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    reranker = CrossEncoderReranker(str(tmp_path), device="cpu")
    assert len(reranker.rerank(asked(), hits("boat " * 100, "dogs"))) == 2
    with pytest.raises(ConfigError, match="length 33 is above the 32 tokens"):
        CrossEncoderReranker(str(tmp_path), device="cpu", max_length=33).rerank(asked(), found())


def test_a_model_without_padding_scores_one_pair_at_a_time(model: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer, LlamaConfig, LlamaForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.pad_token = None
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        initializer_range=0.5,
    )
    config.num_labels = 1
    LlamaForSequenceClassification(config).save_pretrained(tmp_path)  # type: ignore[no-untyped-call]
    tokenizer.save_pretrained(tmp_path)
    together = CrossEncoderReranker(str(tmp_path), device="cpu").rerank(asked(), found())
    alone = [CrossEncoderReranker(str(tmp_path), device="cpu").rerank(asked(), [hit])[0].score for hit in found()]
    assert [hit.score for hit in together] == sorted(alone, reverse=True)


def test_scores_that_are_no_numbers_are_an_input_error(model: str, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    broken = AutoModelForSequenceClassification.from_pretrained(model)
    with torch.no_grad():
        broken.classifier.bias.fill_(math.nan)
    broken.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(model).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="a score is not a finite number; try dtype float32 or bfloat16"):
        CrossEncoderReranker(str(tmp_path), device="cpu").rerank(asked(), found())


def test_a_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    model = tiny_bert(tmp_path / "encoder")
    with pytest.raises(ConfigError, match=r"lack weights \('classifier\..*name another model"):
        CrossEncoderReranker(model, device="cpu").rerank(asked(), found())


def test_a_model_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no-model': there is no such folder; check the path$"):
        CrossEncoderReranker(str(tmp_path / "no-model"), device="cpu").rerank(asked(), found())


@pytest.mark.gpu
def test_a_gpu_gives_the_scores_of_the_cpu(model: str) -> None:
    there, here = CrossEncoderReranker(model), CrossEncoderReranker(model, device="cpu")
    scores = [{hit.chunk.doc_id: hit.score for hit in part.rerank(asked(), found())} for part in (there, here)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
