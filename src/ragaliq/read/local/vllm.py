"""A causal language model on this machine as reader, run by vLLM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import exp
from typing import TYPE_CHECKING, Any

from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession
from ragaliq.read.local.batch import LocalCalls, batch_readings
from ragaliq.read.local.chat import ChatRenderer
from ragaliq.read.local.completion import Completion, completed
from ragaliq.read.local.generation import row_seed
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.read.sampling import Sampling, read_sampling
from ragaliq.types import Hit, Query, Reading, TokenChoice, TokenChoices

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class VllmReader:
    """Answers batches of queries with a causal language model, as `TransformersReader` does, but on vLLM.

    Prompts are rendered and fitted here and handed over as tokens. Which rows are computed together is up to vLLM;
    each is drawn with a seed of its own.

    Args:
        model: id on the model hub, or a folder.
        sampling: see `Sampling`.
        dtype: type of the weights, as vLLM writes it.
        gpu_memory_utilization: share of the GPU's memory that vLLM may take, in 0..1.
        max_model_len: most tokens of prompt and answer; 0 takes the model's.
        batch_size: how many queries are handed over at once.
        revision: branch, tag or commit on the hub.
        trust_remote_code: run code that comes with the model.
        prompt: a prompt file in place of the shipped one.
        prompt_language: language of the prompt for every query; empty stands for each query's own.
        seed: of what is drawn, unless `sampling` names one.
        session: keeps the calls, if it keeps any.

    Raises:
        ConfigError: if an option cannot be, or vLLM is not installed.

    Attributes:
        batch_size: how many queries are handed over at once.
        prompt_hash: changes with the prompts.
    """

    def __init__(
        self,
        model: str,
        sampling: Mapping[str, Any] | None = None,
        dtype: str = "auto",
        gpu_memory_utilization: float = 0.85,
        max_model_len: int = 0,
        batch_size: int = 64,
        revision: str = "",
        trust_remote_code: bool = False,
        prompt: str = "",
        prompt_language: str = "",
        seed: int = 0,
        session: LLMSession | None = None,
    ) -> None:
        self._name = f"reader 'vllm:{model}'"
        if not model:
            raise ConfigError("reader 'vllm': name its model, as in vllm:MODEL")
        if find_spec("vllm") is None:
            raise ConfigError(f"{self._name}: needs vllm: pip install 'ragaliq[vllm]'")
        if batch_size < 1:
            raise ConfigError(f"{self._name}: option 'batch_size' must be at least 1, not {batch_size}")
        self.batch_size = batch_size
        self._model = model
        self._sampling = read_sampling(sampling, seed)
        self._engine: dict[str, Any] = {
            "dtype": dtype,
            "gpu_memory_utilization": gpu_memory_utilization,
            "max_model_len": max_model_len or None,
            "revision": revision or None,
            "trust_remote_code": trust_remote_code,
        }
        self._prompt = ReaderPrompt(prompt, prompt_language)
        self.prompt_hash = self._prompt.hash
        self._calls = LocalCalls(session, model, self._sampling, self.prompt_hash)
        self._llm: Any = None
        self._renderer: ChatRenderer | None = None

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""
        return self.read_batch([query], [context])[0]

    def read_batch(self, queries: Sequence[Query], contexts: Sequence[Sequence[Hit]]) -> list[Reading]:
        """Return the model's answers in the order of the queries.

        Chunks that do not fit the model's window are left out, lowest rank first, and the reading's `error` says so. A
        query that does not fit even without chunks is an error.
        """
        renderer = self._renderer or self._load()
        rendered = [renderer.render(query, shown) for query, shown in zip(queries, contexts, strict=True)]
        made = iter(self._complete([prompt.ids for prompt in rendered if prompt is not None]))
        return batch_readings(queries, rendered, made, renderer, self._calls)

    def _load(self) -> ChatRenderer:
        import vllm

        try:
            self._llm = vllm.LLM(model=self._model, **self._engine)
        except Exception as error:  # Hub, files and GPU: whatever they raise is told in one line.
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ConfigError(f"{self._name}: cannot be loaded ({reason[:300]})") from None
        window = Window(self._model, self._llm.llm_engine.model_config.max_model_len, self._sampling.max_tokens)
        self._renderer = ChatRenderer(self._llm.get_tokenizer(), self._prompt, window, self._model)
        return self._renderer

    def _complete(self, prompts: Sequence[list[int]]) -> list[Completion]:
        if not prompts:
            return []
        made = self._llm.generate(
            [{"prompt_token_ids": ids} for ids in prompts],
            [_parameters(self._sampling, ids) for ids in prompts],
            use_tqdm=False,
        )
        tokenizer = self._llm.get_tokenizer()
        return [_completion(output.outputs[0], self._sampling, tokenizer) for output in made]


def _parameters(sampling: Sampling, prompt: Sequence[int]) -> object:
    import vllm

    return vllm.SamplingParams(
        max_tokens=sampling.max_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        # Older versions know -1 alone as "all of them".
        top_k=sampling.top_k or -1,
        stop=list(sampling.stop),
        seed=row_seed(sampling.seed, prompt),
        logprobs=sampling.logprobs or None,
    )


def _completion(output: Any, sampling: Sampling, tokenizer: PreTrainedTokenizerBase) -> Completion:
    ids = list(output.token_ids)
    # An end token is the last one; its kind is known to vLLM alone. A stop text is named as the reason.
    ended = output.finish_reason == "stop" and not isinstance(output.stop_reason, str)

    def decode(tokens: Sequence[int]) -> str:
        return str(tokenizer.decode(list(tokens), skip_special_tokens=True))

    return completed(ids, ids[-1:] if ended else [], sampling.stop, decode, _choices(output, sampling.logprobs))


def _choices(output: Any, n: int) -> TokenChoices:
    """Return the `n` best candidates for each token; vLLM adds the written one where it is none of them."""
    found = []
    for step in (output.logprobs or []) if n else []:
        ranked = sorted(step.values(), key=lambda one: -one.logprob)[:n]
        found.append(tuple(TokenChoice(one.decoded_token or "", exp(one.logprob)) for one in ranked))
    return tuple(found)
