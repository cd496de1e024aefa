"""A causal language model on this machine as reader, run by Hugging Face `transformers`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ragaliq.errors import ConfigError, nearest
from ragaliq.llm import LLMSession
from ragaliq.read.local.batch import LocalCalls, batch_readings
from ragaliq.read.local.chat import ChatRenderer, Rendered
from ragaliq.read.local.completion import Completion, completed
from ragaliq.read.local.generation import Candidates, RowSampling, StopTexts
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.read.sampling import Sampling, read_sampling
from ragaliq.read.tokenizer import token_texts
from ragaliq.types import Hit, Query, Reading

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

_DTYPES = ("auto", "bfloat16", "float16", "float32")
# Tokenizers without a length say 1e30.
_NO_LENGTH = 10**9


class TransformersReader:
    """Answers batches of queries with a causal language model.

    The model is loaded at the first call. Of the generation settings that come with it only the end tokens are used:
    how it writes is decided by `sampling` alone. In float32 a batch gives the answers that its queries get one by one;
    in 16 bits, rounding depends on the batch's shape and may turn a near tie.

    Args:
        model: id on the model hub, or a folder.
        sampling: see `Sampling`.
        device: as torch writes it; empty takes the GPU if there is one.
        dtype: of the weights: auto, bfloat16, float16 or float32; empty takes the checkpoint's on a GPU, else float32.
        batch_size: how many queries are answered at once.
        revision: branch, tag or commit on the hub.
        trust_remote_code: run code that comes with the model.
        prompt: a prompt file in place of the shipped one.
        prompt_language: language of the prompt for every query; empty stands for each query's own.
        seed: of what is drawn, unless `sampling` names one.
        session: keeps the calls, if it keeps any.

    Raises:
        ConfigError: if an option cannot be, or torch is not installed.

    Attributes:
        batch_size: how many queries are answered at once.
        prompt_hash: changes with the prompts.
    """

    def __init__(
        self,
        model: str,
        sampling: Mapping[str, Any] | None = None,
        device: str = "",
        dtype: str = "",
        batch_size: int = 8,
        revision: str = "",
        trust_remote_code: bool = False,
        prompt: str = "",
        prompt_language: str = "",
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        self._name = f"reader 'transformers:{model}'"
        if not model:
            raise ConfigError("reader 'transformers': name its model, as in transformers:MODEL")
        if find_spec("torch") is None:
            raise ConfigError(f"{self._name}: needs torch: pip install 'ragaliq[hf]'")
        if dtype and dtype not in _DTYPES:
            raise ConfigError(f"{self._name}: unknown dtype '{dtype}'; {nearest(dtype, _DTYPES)}")
        if batch_size < 1:
            raise ConfigError(f"{self._name}: option 'batch_size' must be at least 1, not {batch_size}")
        self.batch_size = batch_size
        self._model = model
        self._sampling = read_sampling(sampling, seed)
        self._device, self._dtype = device, dtype
        self._source = {"revision": revision or None, "trust_remote_code": trust_remote_code}
        self._prompt = ReaderPrompt(prompt, prompt_language)
        self.prompt_hash = self._prompt.hash
        self._calls = LocalCalls(session, model, self._sampling, self.prompt_hash)
        self._loaded: _Loaded | None = None

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""
        return self.read_batch([query], [context])[0]

    def read_batch(self, queries: Sequence[Query], contexts: Sequence[Sequence[Hit]]) -> list[Reading]:
        """Return the model's answers in the order of the queries.

        Chunks that do not fit the model's window are left out, lowest rank first, and the reading's `error` says so. A
        query that does not fit even without chunks is an error.
        """
        loaded = self._model_loaded()
        rendered = [loaded.renderer.render(query, shown) for query, shown in zip(queries, contexts, strict=True)]
        prompts = [prompt for prompt in rendered if prompt is not None]
        starts = range(0, len(prompts), self.batch_size)
        made = iter([one for at in starts for one in loaded.complete(prompts[at : at + self.batch_size])])
        return batch_readings(queries, rendered, made, loaded.renderer, self._calls)

    def tokens(self, text: str) -> list[str]:
        """Return the model's tokens of a text, each as the text that it is by itself."""
        return token_texts(self._model_loaded().tokenizer, text)

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        return "" if self._loaded is None else str(getattr(self._loaded.model.config, "_commit_hash", None) or "")

    def _model_loaded(self) -> _Loaded:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def _load(self) -> _Loaded:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

        device = self._device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = self._dtype or ("float32" if device == "cpu" else "auto")
        try:
            tokenizer = AutoTokenizer.from_pretrained(self._model, **self._source)
            model: Any = AutoModelForCausalLM.from_pretrained(self._model, dtype=dtype, **self._source)
            model.to(device)
        except Exception as error:  # Hub, files and the model's own code: whatever they raise is told in one line.
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            foreign = "trust_remote_code" in reason and not self._source["trust_remote_code"]
            hint = "; if you trust its code, set trust_remote_code: true to run it" if foreign else ""
            raise ConfigError(f"{self._name}: cannot be loaded ({reason[:300]}){hint}") from None
        model.eval()
        ends = _ends(model.generation_config, model.config, tokenizer)
        pad = next((token for token in (tokenizer.pad_token_id, *ends) if token is not None), 0)
        # What is not set here would be taken from the settings that came with the model.
        model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
            eos_token_id=ends or None, pad_token_id=pad
        )
        window = Window(self._model, _window_tokens(model.config, tokenizer), self._sampling.max_tokens)
        renderer = ChatRenderer(tokenizer, self._prompt, window, self._model)
        return _Loaded(model, tokenizer, renderer, self._sampling, ends, pad)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model in memory with all that is needed to complete prompts."""

    model: Any
    tokenizer: PreTrainedTokenizerBase
    renderer: ChatRenderer
    sampling: Sampling
    ends: list[int]
    pad: int

    def complete(self, prompts: Sequence[Rendered]) -> list[Completion | None]:
        """Complete a batch of prompts; what the GPU's memory cannot hold at once is halved, None is the end of that."""
        import torch

        try:
            return list(self._generate([prompt.ids for prompt in prompts]))
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
        if len(prompts) == 1:
            return [None]
        half = len(prompts) // 2
        return self.complete(prompts[:half]) + self.complete(prompts[half:])

    def _generate(self, prompts: list[list[int]]) -> list[Completion]:
        import torch

        device = str(self.model.device)
        inputs, mask = _padded_left(prompts, self.pad)
        length = inputs.shape[1]
        candidates = Candidates(self.sampling.logprobs)
        watching: list[object] = [candidates] if self.sampling.logprobs else []
        drawing: list[object] = [RowSampling(self.sampling, prompts, device)] if self.sampling.temperature else []
        with torch.inference_mode():
            made = self.model.generate(
                input_ids=inputs.to(device),
                attention_mask=mask.to(device),
                max_new_tokens=self.sampling.max_tokens,
                do_sample=False,
                logits_processor=[*watching, *drawing],
                stopping_criteria=[StopTexts(self.sampling.stop, length, self._decode)] if self.sampling.stop else [],
            )
        return [
            completed(ids, self.ends, self.sampling.stop, self._decode, candidates.of_row(row, self._token_text))
            for row, ids in enumerate(made[:, length:].tolist())
        ]

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

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
    """Return the end tokens: a chat model's may stand in any of the sources, one or several."""
    found: set[int] = set()
    for source in sources:
        tokens: int | list[int] | None = getattr(source, "eos_token_id", None)
        found.update([] if tokens is None else [tokens] if isinstance(tokens, int) else tokens)
    return sorted(found)


def _window_tokens(config: Any, tokenizer: PreTrainedTokenizerBase) -> int:
    """Return the tokens of a model's window, by its config, else by its tokenizer; without either, a vast number."""
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int):
        return positions
    length = tokenizer.model_max_length
    return int(length) if length < _NO_LENGTH else sys.maxsize
