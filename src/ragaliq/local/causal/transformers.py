"""A causal language model on this machine, run by Hugging Face `transformers`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragaliq.errors import ConfigError, nearest
from ragaliq.llm.replies.reasoning import opened_by
from ragaliq.local.causal.completion import Completion, completed, decoder
from ragaliq.local.causal.engine import Engine, check_model
from ragaliq.local.causal.generation import Candidates, RowSampling, StopTexts
from ragaliq.local.causal.sampling import Sampling
from ragaliq.local.checkpoint import loading

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

_DTYPES = ("auto", "bfloat16", "float16", "float32")
# A prompt's last tokens, which hold the tag by which a template opens a thought.
_TAIL = 16
# Tokenizers without a length say 1e30.
_NO_LENGTH = 10**9


@dataclass(frozen=True, slots=True)
class CausalModel:
    """A causal language model that `transformers` can load.

    Of the generation settings that come with a model only the end tokens are used: how it writes is decided by the
    sampling parameters alone.

    Attributes:
        stage: the component that runs it, for messages.
        model: id on the model hub, or a folder.
        revision: branch, tag or commit on the hub.
        device: as torch writes it; empty takes the GPU if there is one.
        dtype: auto, bfloat16, float16 or float32; empty takes the checkpoint's on a GPU, else float32.
        trust_remote_code: run code that comes with the model.
    """

    stage: str
    model: str
    revision: str = ""
    device: str = ""
    dtype: str = ""
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ConfigError: if one cannot work.
        """
        check_model(self.stage, "transformers", self.model)
        if self.dtype and self.dtype not in _DTYPES:
            raise ConfigError(f"{self.label}: unknown dtype '{self.dtype}'; {nearest(self.dtype, _DTYPES)}")

    @property
    def label(self) -> str:
        """The component's name in messages."""
        return f"{self.stage} 'transformers:{self.model}'"

    def load(self) -> TransformersEngine:
        """Return the model with its tokenizer.

        Raises:
            ConfigError: if they cannot be loaded.
        """
        with loading(self.label):
            return self._load()

    def _load(self) -> TransformersEngine:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

        source: dict[str, Any] = {"revision": self.revision or None, "trust_remote_code": self.trust_remote_code}
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = self.dtype or ("float32" if device == "cpu" else "auto")
        tokenizer = AutoTokenizer.from_pretrained(self.model, **source)
        model: Any = AutoModelForCausalLM.from_pretrained(self.model, dtype=dtype, **source)
        model.to(device).eval()
        ends = _ends(model.generation_config, model.config, tokenizer)
        pad = next((token for token in (tokenizer.pad_token_id, *ends) if token is not None), 0)
        # What is not set here would be taken from the settings that came with the model.
        model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            eos_token_id=ends or None, pad_token_id=pad
        )
        return TransformersEngine(tokenizer, _window_tokens(model.config, tokenizer), model, ends, pad)


@dataclass(frozen=True, slots=True)
class TransformersEngine(Engine):
    """A model that `transformers` runs.

    In float32 a batch gives the texts that its prompts get one by one; in 16 bits, rounding depends on the batch's
    shape and may turn a near tie.
    """

    model: Any
    ends: list[int]
    pad: int

    @property
    def commit(self) -> str:
        """The commit of the hub that was loaded; empty for a folder."""
        return str(getattr(self.model.config, "_commit_hash", None) or "")

    def complete(self, prompts: Sequence[list[int]], sampling: Sampling) -> list[Completion | None]:
        """Complete a batch of prompts, in halves if the GPU's memory is too small; None for one too large alone."""
        import torch

        try:
            return list(self._generate(prompts, sampling))
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
        if len(prompts) == 1:
            return [None]
        half = len(prompts) // 2
        return self.complete(prompts[:half], sampling) + self.complete(prompts[half:], sampling)

    def _generate(self, prompts: Sequence[list[int]], sampling: Sampling) -> list[Completion]:
        import torch

        device, decode = str(self.model.device), decoder(self.tokenizer)
        inputs, mask = _padded_left(prompts, self.pad)
        length = inputs.shape[1]
        candidates = Candidates(sampling.logprobs)
        watching: list[object] = [candidates] if sampling.logprobs else []
        drawing: list[object] = [RowSampling(sampling, prompts, device)] if sampling.temperature else []
        with torch.inference_mode():
            rows = self.model.generate(
                input_ids=inputs.to(device),
                attention_mask=mask.to(device),
                max_new_tokens=sampling.max_tokens,
                do_sample=False,
                logits_processor=[*watching, *drawing],
                stopping_criteria=[StopTexts(sampling.stop, length, decode)] if sampling.stop else [],
            )
        opened = [opened_by(decode(prompt[-_TAIL:])) for prompt in prompts]
        return [
            completed(ids, self.ends, sampling.stop, decode, candidates.of_row(row, self._token_text), opened[row])
            for row, ids in enumerate(rows[:, length:].tolist())
        ]

    def _token_text(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids)))


def _padded_left(prompts: Sequence[Sequence[int]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids and attention mask, both `(n_prompts, longest prompt)`; the last token of each is the last."""
    import torch

    longest = max(map(len, prompts))
    ids = [[pad] * (longest - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids), torch.tensor(mask)


def _ends(*sources: object) -> list[int]:
    """Return the end tokens: a chat model may name them in any of the sources, one or several."""
    ends: set[int] = set()
    for source in sources:
        tokens: int | list[int] | None = getattr(source, "eos_token_id", None)
        ends.update([] if tokens is None else [tokens] if isinstance(tokens, int) else tokens)
    return sorted(ends)


def _window_tokens(config: Any, tokenizer: PreTrainedTokenizerBase) -> int:
    """Return the tokens of a model's window, by its config, else by its tokenizer; without either, a vast number."""
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int):
        return positions
    length = tokenizer.model_max_length
    return int(length) if length < _NO_LENGTH else sys.maxsize
