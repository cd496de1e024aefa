"""A transformer run by PyTorch: from batches of tokens to one vector a text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.retrieve.embed.batches import CPU_TOKENS, Batch
from ragaliq.retrieve.embed.checkpoint import Checkpoint, loading
from ragaliq.retrieve.embed.conventions import Pooling

if TYPE_CHECKING:
    import torch

DTYPES = ("bfloat16", "float16", "float32")


class TorchEncoder:
    """The weights of a checkpoint on a device. Encoders, decoders and the encoder half of encoder-decoders will do.

    Attributes:
        budget: number of tokens, padding included, beyond which a batch gains no speed.
    """

    def __init__(self, checkpoint: Checkpoint, device: str, dtype: str, trust_remote_code: bool) -> None:
        """Load the weights.

        Raises:
            ConfigError: if they cannot be loaded, or the files lack some.
        """
        self._model_id = checkpoint.model
        self._device = device
        self.budget = CPU_TOKENS if device == "cpu" else math.inf
        with loading(checkpoint.model):
            self._model = _load(checkpoint, device, dtype, trust_remote_code)

    def pooled(self, batch: Batch, pooling: Pooling) -> NDArray[np.float32]:
        """Return one vector for each text, not normalised; sums are in float32 whatever the weights are.

        Raises:
            ConfigError: if the batch does not fit into the GPU's memory.
        """
        import torch

        try:
            with torch.inference_mode():
                inputs = {name: torch.from_numpy(values).to(self._device) for name, values in batch.items()}
                hidden = self._model(**inputs).last_hidden_state.float()
                return np.asarray(_pool(hidden, inputs["attention_mask"], pooling).cpu().numpy(), dtype=np.float32)
        except torch.OutOfMemoryError:
            n_texts, n_tokens = batch["input_ids"].shape
            raise ConfigError(
                f"embedder '{self._model_id}': {n_texts} texts of {n_tokens} tokens do not fit into the memory of "
                f"{self._device}; lower option 'batch_size' or 'max_length'"
            ) from None


def choose_device(device: str) -> str:
    """Return the device that is asked for, else the first GPU, else the CPU."""
    import torch

    if device:
        return device
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def choose_dtype(dtype: str, device: str) -> str:
    """Return the type of the weights that is asked for, else the quickest that is safe on the device."""
    import torch

    if dtype or not device.startswith("cuda"):
        return dtype or "float32"
    # float16 is for GPUs that know no better: some models leave its range.
    return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"


def _load(checkpoint: Checkpoint, device: str, dtype: str, trust_remote_code: bool) -> Any:
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding

    shared: dict[str, Any] = {"trust_remote_code": trust_remote_code, "revision": checkpoint.commit or None}
    config = AutoConfig.from_pretrained(checkpoint.source, **shared)
    kind = AutoModelForTextEncoding if config.is_encoder_decoder else AutoModel
    model, info = kind.from_pretrained(
        checkpoint.source, dtype=getattr(torch, dtype), output_loading_info=True, **shared
    )
    # Transformers fills missing weights with random numbers; those of the pooler are not used here.
    missing = sorted(key for key in info["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise ConfigError(f"embedder '{checkpoint.model}': its files lack weights ('{missing[0]}')")
    model.config.use_cache = False
    return model.to(device).eval()


def _pool(hidden: torch.Tensor, mask: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    """Return one vector a text from those of its tokens, whichever side the padding is on."""
    import torch

    if pooling is Pooling.MEAN:
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weights).sum(dim=1) / weights.sum(dim=1)
    places = torch.arange(mask.shape[1], device=mask.device)
    if pooling is Pooling.CLS:
        chosen = torch.where(mask.bool(), places, mask.shape[1]).amin(dim=1)
    else:
        chosen = torch.where(mask.bool(), places, -1).amax(dim=1)
    return hidden[torch.arange(len(hidden), device=mask.device), chosen]
