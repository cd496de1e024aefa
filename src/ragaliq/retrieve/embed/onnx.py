"""A transformer as an ONNX file, run by onnxruntime: no torch is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.retrieve.embed.batches import CPU_TOKENS, Batch
from ragaliq.retrieve.embed.checkpoint import Checkpoint, fetch, loading
from ragaliq.retrieve.embed.conventions import Pooling

FILE = "onnx/model.onnx"
# Names that exporters give to the vectors of the tokens, the best known first.
_OUTPUTS = ("last_hidden_state", "token_embeddings")
_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}


class OnnxEncoder:
    """The file `onnx/model.onnx` of a checkpoint, on the CPU or, where onnxruntime can use one, on an NVIDIA GPU.

    Attributes:
        budget: number of tokens, padding included, beyond which a batch gains no speed.
    """

    def __init__(self, checkpoint: Checkpoint, device: str) -> None:
        """Load the file.

        Raises:
            ConfigError: if there is none, it cannot be loaded, or it gives no vectors of tokens.
        """
        self.budget = CPU_TOKENS if device in ("", "cpu") else math.inf
        name = f"embedder '{checkpoint.model}'"
        path = fetch(checkpoint, [f"{FILE}*"]) / FILE
        if not path.is_file():
            raise ConfigError(f"{name}: the model has no file {FILE}; use backend torch")
        with loading(checkpoint.model):
            from onnxruntime import InferenceSession  # type: ignore[import-untyped]

            self._session = InferenceSession(path, providers=[_provider(name, device)])
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        if not self._inputs <= _INPUTS:
            raise ConfigError(f"{name}: {FILE} wants input '{min(self._inputs - _INPUTS)}'; use backend torch")
        outputs = [entry.name for entry in self._session.get_outputs()]
        found = [output for output in _OUTPUTS if output in outputs]
        if not found:
            raise ConfigError(f"{name}: {FILE} gives no '{_OUTPUTS[0]}' but '{outputs[0]}'; use backend torch")
        self._output = found[0]

    def pooled(self, batch: Batch, pooling: Pooling) -> NDArray[np.float32]:
        """Return one vector for each text, not normalised."""
        mask = batch["attention_mask"]
        offered: Mapping[str, Any] = {
            "token_type_ids": np.zeros_like(mask),
            "position_ids": np.broadcast_to(np.arange(mask.shape[1]), mask.shape),
            **batch,
        }
        inputs = {entry: np.ascontiguousarray(offered[entry]) for entry in self._inputs}
        hidden = np.asarray(self._session.run([self._output], inputs)[0], dtype=np.float32)
        return _pool(hidden, mask, pooling)


def _provider(name: str, device: str) -> str:
    from onnxruntime import get_available_providers

    if device in ("", "cpu"):
        return "CPUExecutionProvider"
    if device.startswith("cuda") and "CUDAExecutionProvider" in get_available_providers():
        return "CUDAExecutionProvider"
    raise ConfigError(f"{name}: onnxruntime has no device '{device}' here; leave option 'device' out")


def _pool(hidden: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> NDArray[np.float32]:
    """Return one vector a text from those of its tokens, whichever side the padding is on."""
    if pooling is Pooling.MEAN:
        weights = mask[..., None].astype(np.float32)
        return np.asarray((hidden * weights).sum(axis=1) / weights.sum(axis=1))
    first = mask.argmax(axis=1)
    last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
    return np.asarray(hidden[np.arange(len(hidden)), first if pooling is Pooling.CLS else last])
