"""What the attributes and events of a span say: texts, documents, scores, and what kind of step it is.

Names: OpenTelemetry semantic conventions for generative AI (opentelemetry-semantic-conventions 0.66b2, where they are
marked as moved to a repository of their own), their older forms, and OpenInference's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.traces.contents import answer_in, contexts_in, question_in, reference_in
from ragaliq.formats.traces.rows import Score
from ragaliq.formats.traces.spans import Span
from ragaliq.formats.traces.values import number_of

_INPUTS = ("langfuse.trace.input", "langfuse.observation.input", "input.value", "gen_ai.input.messages",
    "gen_ai.prompt", "traceloop.entity.input")  # fmt: skip
_OUTPUTS = ("langfuse.trace.output", "langfuse.observation.output", "output.value", "gen_ai.output.messages",
    "gen_ai.completion", "traceloop.entity.output")  # fmt: skip
_REFERENCES = ("langfuse.experiment.item.expected_output", "reference", "expected_output")
# Messages that are spread over attributes: `llm.input_messages.0.message.content`, `gen_ai.prompt.0.content`.
_SPREAD = re.compile(r"(.+)\.(\d{1,6})\.(?:message\.)?(role|content)")
_SPREAD_INPUTS = ("llm.input_messages", "gen_ai.prompt")
_SPREAD_OUTPUTS = ("llm.output_messages", "gen_ai.completion")
_DOCUMENT = re.compile(r"(retrieval\.documents|reranker\.output_documents)\.(\d{1,6})\.document\.content")
_INPUT_EVENTS = {"gen_ai.user.message": "content", "gen_ai.content.prompt": "gen_ai.prompt"}
_OUTPUT_EVENTS = {"gen_ai.choice": "message", "gen_ai.content.completion": "gen_ai.completion"}
_DETAILS = "gen_ai.client.inference.operation.details"
_EVALUATION = "gen_ai.evaluation.result"
_KINDS = ("openinference.span.kind", "langfuse.observation.type", "langsmith.span.kind", "gen_ai.operation.name")
_EVALUATORS = ("evaluator", "evaluate", "evaluation")
_RETRIEVERS = ("retriever", "retrieval")
_OTHERS = ("embedding", "embeddings", "reranker", "tool", "execute_tool", "guardrail", "create_agent")
_OF_MODELS = ("gen_ai.", "llm.", "openinference.", "input.value", "output.value", "retrieval.", "langfuse.")


def is_of_model(span: Span) -> bool:
    """Return whether a span says anything of a model, a retrieval or an evaluation."""
    return any(key.startswith(_OF_MODELS) for key in span.attributes) or any(
        _is_evaluation(e.name) for e in span.events
    )


def is_evaluator(span: Span) -> bool:
    """Return whether a span is the work of an evaluator; its texts are the evaluator's, not the system's."""
    return "gen_ai.evaluation.name" in span.attributes or not _kinds(span).isdisjoint(_EVALUATORS)


def answers(span: Span) -> bool:
    """Return whether what came out of a span may be the system's answer."""
    return _kinds(span).isdisjoint((*_EVALUATORS, *_RETRIEVERS, *_OTHERS))


def question_of(span: Span) -> str:
    """Return the question that went into a span; empty where it records none."""
    named = [span.attributes.get(key) for key in _INPUTS]
    spread = [_spread(span.attributes, prefix) for prefix in _SPREAD_INPUTS]
    events = _in_events(span, _INPUT_EVENTS, "gen_ai.input.messages")
    return _first(question_in, [*named, *spread, *reversed(events), span.attributes.get("gen_ai.retrieval.query.text")])


def answer_of(span: Span) -> str:
    """Return the answer that came out of a span; empty where it records none."""
    named = [span.attributes.get(key) for key in _OUTPUTS]
    spread = [_spread(span.attributes, prefix) for prefix in _SPREAD_OUTPUTS]
    return _first(answer_in, [*named, *spread, *_in_events(span, _OUTPUT_EVENTS, "gen_ai.output.messages")])


def reference_of(span: Span) -> str:
    """Return the reference answer that a span names; empty where it names none."""
    return _first(reference_in, [span.attributes.get(key) for key in _REFERENCES])


def documents_of(span: Span) -> tuple[bool, tuple[str, ...] | None]:
    """Return whether a span ranks documents again, and their texts in order; None where it names no text."""
    found: dict[str, dict[int, str]] = {}
    for key, value in span.attributes.items():
        match = _DOCUMENT.fullmatch(key)
        if match and isinstance(value, str):
            found.setdefault(match[1], {})[int(match[2])] = value
    for kind in sorted(found):  # The reranker's are after the retriever's in the alphabet, and no span has both.
        return kind.startswith("reranker"), tuple(text for _, text in sorted(found[kind].items()))
    named = contexts_in(span.attributes.get("gen_ai.retrieval.documents"), of_retriever=True)
    if named is None and not _kinds(span).isdisjoint(_RETRIEVERS):
        outputs = (span.attributes.get(key) for key in _OUTPUTS)
        named = next((texts for one in outputs if (texts := contexts_in(one, of_retriever=True)) is not None), None)
    return False, named


def scores_of(span: Span) -> Iterator[tuple[str, Score]]:
    """Yield the scores that a span records, each with the id of the model's response that it is of, if it names one.

    Raises:
        InputError: if a score has no name, or is no number.
    """
    found = [event.attributes for event in span.events if _is_evaluation(event.name)]
    if "gen_ai.evaluation.name" in span.attributes:
        found.append(span.attributes)
    for attributes in found:
        name = attributes.get("gen_ai.evaluation.name")
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"{span.where}: an evaluation has no 'gen_ai.evaluation.name'; name it")
        response = attributes.get("gen_ai.response.id")
        value = number_of(attributes, "gen_ai.evaluation.score.value", span.where)
        yield response if isinstance(response, str) else "", Score(name, value)


def _is_evaluation(name: str) -> bool:
    return name == _EVALUATION


def _kinds(span: Span) -> set[str]:
    return {value.casefold() for key in _KINDS if isinstance(value := span.attributes.get(key), str)}


def _spread(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Return the messages that attributes spell one by one, in the order of their numbers."""
    messages: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        match = _SPREAD.fullmatch(key)
        if match and match[1] == prefix:
            messages.setdefault(int(match[2]), {})[match[3]] = value
    return [message for _, message in sorted(messages.items())]


def _in_events(span: Span, names: Mapping[str, str], messages: str) -> list[Any]:
    """Return what the events of a span say of texts, in their order."""
    named = {**names, _DETAILS: messages}
    return [event.attributes.get(named[event.name]) for event in span.events if event.name in named]


def _first(text_in: Any, values: list[Any]) -> str:
    texts = (text_in(value) for value in values if value not in (None, "", []))
    return next((text for text in texts if text.strip()), "")
