"""What steers and watches `transformers`' generation: drawing with a seed per row, candidates, stop texts.

The classes have the call signatures of a `LogitsProcessor` or `StoppingCriteria` without being one, so that torch is
imported only when a model is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragaliq.local.causal.sampling import Sampling
from ragaliq.types import TokenChoice, TokenChoices

if TYPE_CHECKING:
    import torch
    from transformers import LogitsProcessor


class RowSampling:
    """Draws each row's tokens with a generator of its own, so that no row depends on the others of its batch.

    Greedy generation takes the greatest score; scores plus Gumbel noise have their maximum at a token with just the
    softmax probability of that token. A row's seed is made from the sampling seed and the tokens of its prompt.
    """

    def __init__(self, sampling: Sampling, prompts: Sequence[Sequence[int]], device: str) -> None:
        import torch
        from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

        self._warpers: list[LogitsProcessor] = [TemperatureLogitsWarper(sampling.temperature)]
        if sampling.top_k:
            self._warpers.append(TopKLogitsWarper(sampling.top_k))
        if sampling.top_p < 1:
            self._warpers.append(TopPLogitsWarper(sampling.top_p))
        self._generators = [torch.Generator(device).manual_seed(row_seed(sampling.seed, prompt)) for prompt in prompts]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores plus noise; tokens that may not be drawn keep a score of minus infinity."""
        import torch

        for warper in self._warpers:
            scores = warper(input_ids, scores)
        waits = torch.stack(
            [
                torch.empty_like(row).exponential_(generator=generator)
                for row, generator in zip(scores, self._generators, strict=True)
            ]
        )
        return scores - waits.log()


def row_seed(seed: int, prompt: Sequence[int]) -> int:
    """Return the seed of one prompt, a number of 56 bits made from the sampling seed and the prompt's tokens."""
    digest = hashlib.sha256(f"{seed}:{' '.join(map(str, prompt))}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


class Candidates:
    """Keeps the `n` most probable tokens of each step, as the model gives them, before any sampling parameter."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._steps: list[tuple[torch.Tensor, torch.Tensor]] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Look at the scores and return them unchanged."""
        best = scores.float().softmax(-1).topk(min(self._n, scores.shape[-1]))
        self._steps.append((best.indices, best.values))
        return scores

    def of_row(self, row: int, decode: Callable[[Sequence[int]], str]) -> TokenChoices:
        """Return the candidates for each token of a row, each token as the text that it is by itself."""
        return tuple(
            tuple(
                TokenChoice(decode([token]), prob)
                for token, prob in zip(ids[row].tolist(), probs[row].tolist(), strict=True)
            )
            for ids, probs in self._steps
        )


class StopTexts:
    """Ends a row when what it has written holds one of the stop texts."""

    def __init__(self, stop: Sequence[str], n_prompt: int, decode: Callable[[Sequence[int]], str]) -> None:
        self._stop = stop
        self._n_prompt = n_prompt
        self._decode = decode

    def __call__(self, input_ids: torch.Tensor, scores: object, **_: object) -> torch.Tensor:
        """Return for each row whether it has come to an end."""
        import torch

        texts = [self._decode(row) for row in input_ids[:, self._n_prompt :].tolist()]
        done = [any(word in text for word in self._stop) for text in texts]
        return torch.tensor(done, device=input_ids.device)
