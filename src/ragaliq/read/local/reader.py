"""The readers with a model on this machine but for their engine: options, prompts, batches, traces."""

# Without the annotations of the future: the subclasses' constructors are read, and their modules lack these names.
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession
from ragaliq.local.causal.completion import Completion
from ragaliq.local.causal.engine import (
    NO_MEMORY,
    Engine,
    check_library,
    check_model,
    complete_with_room,
    completion_trace,
)
from ragaliq.local.causal.sampling import read_sampling
from ragaliq.read.local.chat import ChatRenderer, Rendered
from ragaliq.read.local.reading import reading
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.read.tokenizer import token_texts
from ragaliq.types import AnswerOutcome, Hit, Query, Reading, Trace


@dataclass(eq=False)
class LocalReader(ABC):
    """Answers batches of queries with a causal language model, which is loaded when it is first needed.

    Chunks that do not fit the model's window are left out, lowest rank first, and the reading's `error` says so. A
    query that does not fit even without chunks is an error. Each completed prompt leaves a trace in the session.

    Attributes:
        model: id on the model hub, or a folder.
        sampling: see `Sampling`.
        dtype: type of the weights, as the engine writes it.
        batch_size: how many queries are answered at once.
        revision: branch, tag or commit on the hub.
        trust_remote_code: run code that comes with the model.
        prompt: a prompt file in place of the shipped one.
        prompt_language: language of the prompt for every query; empty takes each query's own.
        seed: of what is drawn, unless `sampling` names one.
        session: keeps the traces; None keeps none.
        prompt_hash: changes with the prompts.
    """

    kind: ClassVar[str]
    # What must be installed.
    library: ClassVar[str]

    model: str
    sampling: Mapping[str, Any] | None = None
    dtype: str = ""
    batch_size: int = 8
    revision: str = ""
    trust_remote_code: bool = False
    prompt: str = ""
    prompt_language: str = ""
    seed: int = 0
    session: LLMSession | None = None

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            ConfigError: if an option cannot work, or the engine is not installed.
        """
        check_model("reader", self.kind, self.model)
        check_library(self.label, self.library)
        if self.batch_size < 1:
            raise ConfigError(f"{self.label}: option 'batch_size' must be at least 1, not {self.batch_size}")
        self._sampling = read_sampling(self.sampling, self.seed)
        self._prompt = ReaderPrompt(self.prompt, self.prompt_language)
        self.prompt_hash = self._prompt.hash

    @property
    def label(self) -> str:
        """The reader's name in messages."""
        return f"reader '{self.kind}:{self.model}'"

    @abstractmethod
    def _load(self) -> Engine:
        """Load the model."""

    @cached_property
    def _engine(self) -> Engine:
        return self._load()

    @cached_property
    def _renderer(self) -> ChatRenderer:
        window = Window(self.model, self._engine.window, self._sampling.max_tokens)
        return ChatRenderer(self._engine.tokenizer, self._prompt, window, self.model)

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""
        return self.read_batch([query], [context])[0]

    def read_batch(self, queries: Sequence[Query], contexts: Sequence[Sequence[Hit]]) -> list[Reading]:
        """Return the model's answers in the order of the queries."""
        prompts = [self._renderer.render(query, context) for query, context in zip(queries, contexts, strict=True)]
        completions = self._completions([prompt.ids for prompt in prompts if prompt is not None])
        return [
            Reading("", AnswerOutcome.ERROR, error=self._renderer.too_long())
            if prompt is None
            else self._reading(query, prompt, next(completions))
            for query, prompt in zip(queries, prompts, strict=True)
        ]

    def tokens(self, text: str) -> list[str]:
        """Return the model's tokens of a text, each as the text that it is by itself."""
        return token_texts(self._engine.tokenizer, text)

    def _completions(self, prompts: Sequence[list[int]]) -> Iterator[Completion | None]:
        for start in range(0, len(prompts), self.batch_size):
            batch = prompts[start : start + self.batch_size]
            if "max_tokens" in (self.sampling or {}):
                yield from self._engine.complete(batch, self._sampling)
            else:
                yield from complete_with_room(self._engine, batch, self._sampling)

    def _reading(self, query: Query, prompt: Rendered, completion: Completion | None) -> Reading:
        if self.session is not None and self.session.traces is not None:
            call = Trace(
                "reader",
                self.model,
                query.lang,
                query.query_id,
                parameters=asdict(self._sampling),
                prompt_hash=self.prompt_hash,
            )
            self.session.traces.append(completion_trace(call, prompt.ids, completion))
        if completion is None:
            return Reading("", AnswerOutcome.ERROR, error=NO_MEMORY)
        return reading(completion, query, len(prompt.ids), prompt.note)
