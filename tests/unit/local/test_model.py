"""What all local models share: options, window, device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from ragaliq.errors import ConfigError
from ragaliq.local import model as module
from ragaliq.local.model import LocalModel, _positions


@dataclass(eq=False)
class Part(LocalModel):
    stage: ClassVar[str] = "stage"
    kind: ClassVar[str] = "kind"


@pytest.mark.hf
def test_options_that_cannot_work_are_refused_before_a_model_is_loaded() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"model": ""}, "stage 'kind': name its model, as in kind:MODEL"),
        ({"dtype": "float61"}, "stage 'kind:m': unknown dtype 'float61'; did you mean 'float16'?"),
        ({"batch_size": 0}, "stage 'kind:m': option 'batch_size' is at least 1, 'max_length' at least 0"),
        ({"max_length": -1}, "stage 'kind:m': option 'batch_size' is at least 1, 'max_length' at least 0"),
    ]
    for options, message in cases:
        with pytest.raises(ConfigError) as caught:
            Part(**{"model": "m", **options})
        assert str(caught.value) == message


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match=r"^stage 'kind:m': needs sentence-transformers: pip install sentence-transformers$"
    ):
        Part("m")


@dataclass
class Config:
    model_type: str
    max_position_embeddings: object = 512
    pad_token_id: int | None = 1


def test_positions_behind_the_padding_are_no_tokens() -> None:
    assert _positions(Config("bert")) == 512
    # Positions of these begin at the padding's number and one.
    assert _positions(Config("xlm-roberta", 514)) == 512
    assert _positions(Config("mpnet", 514)) == 512
    assert _positions(Config("roberta", 20, 0)) == _positions(Config("roberta", 20, None)) == 19
    assert _positions(Config("xlnet", -1)) == _positions(Config("t5", None)) == 10**9


@pytest.mark.hf
def test_a_cpu_computes_in_32_bits_unless_the_option_says_otherwise() -> None:
    assert Part("m", device="cpu").dtype_name() == "float32"
    assert Part("m", device="cpu", dtype="bfloat16").dtype_name() == "bfloat16"
