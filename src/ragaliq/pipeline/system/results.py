"""Calling the reader of a chatbot, timed, and checking what stages return: they may be anybody's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ragaliq.errors import InputError, RagaliqError
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopwatch import Stopwatch
from ragaliq.runs.rows import ANSWERS, RunAnswer
from ragaliq.storage.error_log import told
from ragaliq.storage.redaction import count_altered, redactor
from ragaliq.text.refusals import abstains
from ragaliq.types import Answer, AnswerOutcome, CitedSentence, Hit, Item, Query, Reading, Usage

# Characters of a wrong value that an error repeats.
_SHOWN = 200


class Ranked(NamedTuple):
    """A query's chunks, best first, and in the order of the retriever before the reranker."""

    hits: list[Hit]
    retrieved: list[Hit]


async def read_one(
    thread: SerialThread, read: Callable[..., Any], query: Query, context: tuple[Hit, ...]
) -> tuple[Answer, float]:
    """Return a reader's answer and its seconds; whatever it raises makes an answer of outcome `error`."""
    watch = Stopwatch()
    try:
        reading = _checked_reading(await watch.call(thread, read, query, context), query)
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:
        return failed_answer(query, "read", error, context), watch.seconds
    return _answer_of(query, context, reading), watch.seconds


async def read_together(
    thread: SerialThread, read_batch: Callable[..., Any], pairs: Sequence[tuple[Query, tuple[Hit, ...]]]
) -> list[tuple[Answer, float]] | None:
    """Return a batch's answers, each with its share of the time; None if the batch failed as a whole."""
    watch, queries, contexts = Stopwatch(), [query for query, _ in pairs], [context for _, context in pairs]
    try:
        results = await watch.call(thread, read_batch, queries, contexts)
        readings = [_checked_reading(result, query) for query, result in zip(queries, results, strict=True)]
    except RagaliqError:
        raise
    except Exception:
        # One query may have failed the others: read each by itself.
        return None
    seconds = watch.seconds / len(pairs)
    return [(_answer_of(*pair, reading), seconds) for pair, reading in zip(pairs, readings, strict=True)]


async def answer_whole(thread: SerialThread, answer: Callable[..., Any], query: Query) -> tuple[Answer, float]:
    """Return what an `answer` of one's own says, and its seconds; whatever it raises is as in `read_one`.

    Raises:
        InputError: if it returns no answer.
    """
    watch = Stopwatch()
    try:
        result = _checked_answer(await watch.call(thread, answer, query), query)
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:
        return failed_answer(query, "answer", error), watch.seconds
    return result, watch.seconds


def checked_hits(hits: object, stage: str) -> list[Hit]:
    """Return what `retrieve` or `rerank` returned, if it is hits.

    Raises:
        InputError: if not.
    """
    if isinstance(hits, str) or not isinstance(hits, Sequence) or not all(isinstance(hit, Hit) for hit in hits):
        raise InputError(f"{stage}: a list of Hits is wanted, not {_shown(hits)}")
    return list(hits)


def _checked_reading(result: object, query: Query) -> Reading:
    """Return what a reader returned as a record; it may also be plain text.

    Raises:
        TypeError, ValueError: if it is neither, or could not be read again from a file.
    """
    if isinstance(result, str):
        outcome = AnswerOutcome.ABSTAINED if abstains(result, query.lang) else AnswerOutcome.ANSWERED
        result = Reading(result, outcome)
    if not isinstance(result, Reading) or not isinstance(result.text, str):
        raise TypeError(f"a reader returns a text or a Reading, not {result!r}")
    texts = (result.error, result.reasoning)
    if not isinstance(result.usage, Usage | None) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"a Reading has a Usage or None, and texts for its error and reasoning, not {result!r}")
    if not all(isinstance(sentence, CitedSentence) for sentence in result.sentences):
        raise TypeError(f"the sentences of a Reading are CitedSentences, not {result.sentences!r}")
    result = replace(result, outcome=AnswerOutcome(result.outcome))
    ANSWERS.check(RunAnswer(Item(query, ""), _record(query, (), result)))
    if result.outcome is AnswerOutcome.ANSWERED and not result.text.strip():
        return replace(result, outcome=AnswerOutcome.EMPTY)
    return result


def _checked_answer(result: object, query: Query) -> Answer:
    """Return what an `answer` of one's own returned as the answer to a query.

    A text and a Reading are answers, too; what their reader saw is not known.

    Raises:
        InputError: if it is none of these, or its context are not hits.
        TypeError, ValueError: if it could not be read again from a file.
    """
    if isinstance(result, str | Reading):
        return replace(_answer_of(query, (), _checked_reading(result, query)), context_known=False)
    if not isinstance(result, Answer):
        raise InputError(f"answer: an Answer, a Reading or a text is wanted, not {_shown(result)}")
    r = result
    reading = Reading(r.text, r.outcome, r.usage, r.error, r.logprobs, r.sentences, r.reasoning)
    hits = checked_hits(r.context, "answer: as its context")
    context = tuple(replace(hit, score=float(hit.score)) for hit in hits)
    answer = replace(_answer_of(query, context, _checked_reading(reading, query)), context_known=bool(r.context_known))
    ANSWERS.check(RunAnswer(Item(query, ""), answer))
    return answer


def failed_answer(query: Query, stage: str, error: BaseException, context: tuple[Hit, ...] = ()) -> Answer:
    """Return the answer that an item gets where a stage raised an exception."""
    what = f"{stage}, query {query.query_id} ({query.lang})"
    return Answer(query, "", AnswerOutcome.ERROR, context, error=told(error, what))


def _answer_of(query: Query, context: tuple[Hit, ...], reading: Reading) -> Answer:
    """Return a reading as an answer, without secrets: anybody's code may repeat what it read from the environment."""
    clean = redactor()
    cleaned = replace(
        reading,
        text=clean(reading.text),
        error=clean(reading.error),
        sentences=tuple(replace(sentence, text=clean(sentence.text)) for sentence in reading.sentences),
        reasoning=clean(reading.reasoning),
    )
    said = [(one.text, one.sentences, one.reasoning) for one in (reading, cleaned)]
    count_altered(*said)
    return _record(query, context, cleaned)


def _record(query: Query, context: tuple[Hit, ...], reading: Reading) -> Answer:
    r = reading
    return Answer(query, r.text, r.outcome, context, r.usage, r.error, r.logprobs, r.sentences, r.reasoning)


def _shown(value: object) -> str:
    return f"{type(value).__name__} {value!r}"[:_SHOWN]
