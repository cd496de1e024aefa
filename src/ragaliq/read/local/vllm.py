"""A causal language model on this machine as reader, run by vLLM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, ClassVar

from ragaliq.llm.replies.reasoning import opened_by
from ragaliq.local.causal.completion import Completion, completed, decoder
from ragaliq.local.causal.engine import Engine
from ragaliq.local.causal.generation import row_seed
from ragaliq.local.causal.sampling import Sampling
from ragaliq.local.checkpoint import loading
from ragaliq.read.local.reader import LocalReader
from ragaliq.types import TokenChoice, TokenChoices


@dataclass(eq=False)
class VllmReader(LocalReader):
    """Answers as `TransformersReader` does, but on vLLM.

    Prompts are rendered and fitted here and handed over as tokens. Which rows are computed together is up to vLLM;
    each is drawn with a seed of its own.

    Attributes:
        gpu_memory_utilization: share of the GPU's memory that vLLM may take, in 0..1.
        max_model_len: most tokens of prompt and answer; 0 takes the model's.
    """

    kind: ClassVar[str] = "vllm"
    library: ClassVar[str] = "vllm"

    dtype: str = "auto"
    batch_size: int = 64
    gpu_memory_utilization: float = 0.85
    max_model_len: int = 0

    def _load(self) -> _Loaded:
        with loading(self.label):
            import vllm

            llm: Any = vllm.LLM(
                model=self.model,
                dtype=self.dtype,
                gpu_memory_utilization=self.gpu_memory_utilization,
                max_model_len=self.max_model_len or None,
                revision=self.revision or None,
                trust_remote_code=self.trust_remote_code,
            )
            return _Loaded(llm.get_tokenizer(), llm.llm_engine.model_config.max_model_len, llm)


@dataclass(frozen=True, slots=True)
class _Loaded(Engine):
    llm: Any

    def complete(self, prompts: Sequence[list[int]], sampling: Sampling) -> list[Completion]:
        outputs = self.llm.generate(
            [{"prompt_token_ids": ids} for ids in prompts],
            [_parameters(sampling, ids) for ids in prompts],
            use_tqdm=False,
        )
        decode = decoder(self.tokenizer)
        opened = [opened_by(decode(prompt[-16:])) for prompt in prompts]
        return [
            _completion(output.outputs[0], sampling, decode, tag) for output, tag in zip(outputs, opened, strict=True)
        ]


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


def _completion(output: Any, sampling: Sampling, decode: Callable[[Sequence[int]], str], opened: str) -> Completion:
    ids = list(output.token_ids)
    # An end token is the last one; its kind is known to vLLM alone. A stop text is named as the reason.
    ended = output.finish_reason == "stop" and not isinstance(output.stop_reason, str)
    choices = _choices(output, sampling.logprobs)
    return completed(ids, ids[-1:] if ended else [], sampling.stop, decode, choices, opened)


def _choices(output: Any, n: int) -> TokenChoices:
    """Return the `n` best candidates for each token; vLLM adds the written one where it is none of them."""
    choices = []
    for step in (output.logprobs or []) if n else []:
        ranked = sorted(step.values(), key=lambda one: -one.logprob)[:n]
        choices.append(tuple(TokenChoice(one.decoded_token or "", exp(one.logprob)) for one in ranked))
    return tuple(choices)
