"""Chats with a model on this machine, asked for as chats with one behind an endpoint are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ragaliq.execution.serial_thread import SerialThread
from ragaliq.llm import CallFailed, FaultKind, LLMSession, Reply, Request
from ragaliq.local.causal.chat import ChatTemplate
from ragaliq.local.causal.engine import NO_MEMORY, complete_with_room, completion_trace
from ragaliq.local.causal.sampling import Sampling
from ragaliq.local.causal.transformers import CausalModel, TransformersEngine
from ragaliq.types import Trace, Usage


class LocalClient:
    """Completes the chats of one role, one after the other; the model is loaded for the first.

    Never several in a batch: in 16 bits a batch's shape can decide a near tie, and which chats wait at the same moment
    would then decide what the model writes.
    """

    def __init__(self, role: str, source: CausalModel, session: LLMSession | None = None) -> None:
        self.session = session or LLMSession()
        self._role = role
        self._source = source
        self._thread = SerialThread()

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        engine = self.__dict__.get("_engine")
        return engine.commit if isinstance(engine, TransformersEngine) else ""

    async def complete(self, request: Request, accept: Callable[[Reply], bool] = lambda reply: True) -> Reply:
        """Return what the model writes, the most probable token each time.

        Of the parameters `max_tokens` and `top_logprobs` count; the reply has at most as many tokens as the prompt
        leaves of the model's window; one that was cut while the model was thinking is written again, with more room.
        Nothing is cached, so `accept` is not called.

        Raises:
            ConfigError: if the model cannot be loaded.
            CallFailed: if the prompt fills the window, or the GPU's memory is too small for it.
            Stopped: if the stop was asked for.
        """
        reply: Reply = await self._thread.call(self._complete, request)
        return reply

    @cached_property
    def _engine(self) -> TransformersEngine:
        return self._source.load()

    @cached_property
    def _template(self) -> ChatTemplate:
        return ChatTemplate(self._engine.tokenizer, self._source.model)

    def _complete(self, request: Request) -> Reply:
        self.session.signal.check()
        prompt = self._template.tokens(request.messages)
        room, asked = self._engine.window - len(prompt), request.parameters
        if room < 1:
            window = f"the {self._engine.window} tokens of {self._source.model}"
            raise CallFailed(FaultKind.CONTEXT_LENGTH, f"the prompt of {len(prompt)} tokens fills {window}", 1)
        sampling = Sampling(min(int(asked["max_tokens"]), room), logprobs=int(asked.get("top_logprobs", 0)))
        completion = complete_with_room(self._engine, [prompt], sampling)[0]
        lang, query_id = (request.query.lang, request.query.query_id) if request.query else ("", "")
        call = Trace(self._role, self._source.model, lang, query_id, request.turn, asked, request.prompt_hash)
        trace = completion_trace(call, prompt, completion)
        if self.session.traces is not None:
            self.session.traces.append(trace)
        if completion is None:
            raise CallFailed(FaultKind.SERVER, NO_MEMORY, 1)
        return Reply(
            completion.text,
            trace.finish_reason,
            usage=Usage(len(prompt), completion.n_tokens),
            logprobs=completion.choices,
            reasoning=completion.reasoning,
            # The best candidate is the one that was written.
            tokens=tuple(choices[0].token for choices in completion.choices),
        )
