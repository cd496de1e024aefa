"""From the completed prompts of a batch to readings, each call with its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ragaliq.llm import LLMSession, ResponseCache
from ragaliq.read.local.chat import ChatRenderer, Rendered
from ragaliq.read.local.completion import Completion, reading
from ragaliq.read.sampling import Sampling
from ragaliq.types import AnswerOutcome, Query, Reading, Trace, Usage

_NO_MEMORY = "the GPU's memory is too small for this prompt"


@dataclass(frozen=True, slots=True)
class LocalCalls:
    """Keeps the calls of a model on this machine; a session without traces, or none, keeps nothing."""

    session: LLMSession | None
    model: str
    sampling: Sampling
    prompt_hash: str

    def keep(self, query: Query, prompt: Rendered, completion: Completion | None) -> None:
        """Keep the trace of a prompt that was completed; None if the GPU's memory was too small."""
        if self.session is None or self.session.traces is None:
            return
        parameters = asdict(self.sampling)
        request = {"model": self.model, "prompt": prompt.ids, "parameters": parameters}
        self.session.traces.append(
            Trace(
                "reader",
                self.model,
                query.lang,
                query.query_id,
                parameters=parameters,
                prompt_hash=self.prompt_hash,
                request_hash=ResponseCache.key(request),
                raw_reply="" if completion is None else completion.text,
                finish_reason="" if completion is None else "stop" if completion.finished else "length",
                usage=None if completion is None else Usage(len(prompt.ids), completion.n_tokens),
                error=_NO_MEMORY if completion is None else "",
            )
        )


def batch_readings(
    queries: Sequence[Query],
    prompts: Sequence[Rendered | None],
    completions: Iterator[Completion | None],
    renderer: ChatRenderer,
    calls: LocalCalls,
) -> list[Reading]:
    """Return the reading of each query, in their order.

    `completions` are those of the prompts that fit the model's window; a query whose prompt is None did not fit.
    """
    readings = []
    for query, prompt in zip(queries, prompts, strict=True):
        if prompt is None:
            readings.append(Reading("", AnswerOutcome.ERROR, error=renderer.too_long()))
            continue
        completion = next(completions)
        calls.keep(query, prompt, completion)
        if completion is None:
            readings.append(Reading("", AnswerOutcome.ERROR, error=_NO_MEMORY))
        else:
            readings.append(reading(completion, query, len(prompt.ids), prompt.note))
    return readings
