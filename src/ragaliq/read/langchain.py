"""Any LangChain runnable as reader: a chain, a graph, a model, a function wrapped as one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from ragaliq.errors import ConfigError
from ragaliq.llm.replies.reasoning import Split, split_reasoning
from ragaliq.read.outcome import outcome_of
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.types import AnswerOutcome, Hit, Query, Reading, Usage

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

GIVEN = ("question", "context", "lang")
# Where an answer stands in a mapping that a chain returns; the first of them counts.
ANSWER_KEYS = ("answer", "result", "output", "text")
# The words with which providers say that the greatest length has cut the answer.
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS"})

_Input = Callable[[Query, Sequence[Hit]], object]


class RunnableReader:
    """Answers with a runnable's `ainvoke`.

    What it is given is told by its input schema:

    - a plain text, as for a chain that retrieves by itself: the question;
    - a prompt, as for a bare model: this package's messages in the language of the question;
    - one needed key of another name than ours, as for a prompt of one variable: the question under that key;
    - anything else, and where the schema cannot be read: `{"question", "context", "lang"}`, the context's texts joined
      by blank lines.

    Attributes:
        prompt_hash: of this package's messages where they are used, else empty.
    """

    def __init__(self, runnable: Runnable[Any, Any]) -> None:
        """Read the input schema.

        Raises:
            ConfigError: if it needs several keys, one of them unknown here.
        """
        self._runnable = runnable
        prompt = ReaderPrompt()
        self._input = _input_of(runnable, prompt)
        self.prompt_hash = prompt.hash if self._input == prompt.messages else ""

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the runnable's answer: a text, a message, or a mapping with one of `ANSWER_KEYS`.

        Anything else that it returns is an error.
        """
        result = await self._runnable.ainvoke(self._input(query, context))
        if isinstance(result, Mapping):
            key = next((key for key in ANSWER_KEYS if key in result), None)
            if key is None:
                keys = ", ".join(map(str, result))
                return _error(f"the runnable returned the keys {keys}; one of {', '.join(ANSWER_KEYS)} is needed")
            result = result[key]
        if isinstance(result, Reading):
            return result
        text = result if isinstance(result, str) else _text(getattr(result, "content", None))
        if text is None:
            return _error(f"the runnable returned {type(result).__name__}; a text, a message or a mapping is needed")
        split = split_reasoning(text)
        outcome = _outcome(split, query.lang, result)
        return Reading(split.answer.strip(), outcome, _usage(result), reasoning=split.thought)


def _input_of(runnable: Runnable[Any, Any], prompt: ReaderPrompt) -> _Input:
    from langchain_core.prompt_values import PromptValue

    try:
        schema: Any = runnable.get_input_schema()
        fields = schema.model_fields
    except Exception:  # The schema is made from other people's annotations; where that fails, the default stands.
        return _mapping
    if "root" in fields:
        kind = fields["root"].annotation
        if kind is str:
            return _question
        takes_prompt = any(inspect.isclass(one) and issubclass(one, PromptValue) for one in get_args(kind))
        return prompt.messages if takes_prompt else _mapping
    needed = [name for name, field in fields.items() if field.is_required()]
    unknown = [name for name in needed if name not in GIVEN]
    if not unknown:
        return _mapping
    only = unknown[0]
    if len(needed) == 1 and fields[only].annotation in (str, Any):
        return lambda query, context: {only: query.text}
    keys, offered = ", ".join(sorted(needed)), ", ".join(GIVEN)
    raise ConfigError(f"reader '{runnable.get_name()}': the runnable needs {keys}; it is given {offered}")


def _question(query: Query, context: Sequence[Hit]) -> str:
    return query.text


def _mapping(query: Query, context: Sequence[Hit]) -> dict[str, str]:
    joined = "\n\n".join(hit.chunk.text for hit in context)
    return {"question": query.text, "context": joined, "lang": query.lang}


def _error(what: str) -> Reading:
    return Reading("", AnswerOutcome.ERROR, error=what)


def _text(content: object) -> str | None:
    """Return the text of a message: all of it, or its blocks of text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    blocks = [block if isinstance(block, Mapping) else {"type": "text", "text": block} for block in content]
    return "".join(str(block["text"]) for block in blocks if block.get("type") == "text")


def _outcome(split: Split, lang: str, result: object) -> AnswerOutcome:
    metadata = getattr(result, "response_metadata", None) or {}
    reason = metadata.get("finish_reason") or metadata.get("stop_reason")
    if reason == "content_filter":
        return AnswerOutcome.FILTERED
    return outcome_of(split.answer, lang, cut=split.is_open or reason in _CUT)


def _usage(result: object) -> Usage | None:
    counts = getattr(result, "usage_metadata", None)
    return Usage(counts["input_tokens"], counts["output_tokens"]) if counts else None
