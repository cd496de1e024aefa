"""The system under test, with any part replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fakes import FixedCoroutineReader, FixedReader, ListRetriever, ReversingReranker, chunk, hits
from ragaliq.config import RunConfig
from ragaliq.errors import InputError
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.storage.redaction import altered
from ragaliq.types import Answer, AnswerOutcome, CitedSentence, Hit, Query, Reading, TokenChoice, Usage

CORPUS = [chunk("d1", "The door is red."), chunk("d2", "The roof is blue."), chunk("z1", "屋顶是蓝色的。", "zh")]
QUERY = Query("q1", "en", "What colour is the roof?")


def chatbot(reader: FixedReader, **config: int) -> Chatbot:
    parts = Chatbot(
        RunConfig(**config),  # type: ignore[arg-type]
        retriever=ListRetriever(),
        reranker=ReversingReranker(),
        reader=reader,
    )
    return parts.index(CORPUS)


def test_the_parts_work_one_after_the_other() -> None:
    answer = chatbot(FixedReader(Reading("Blue.", AnswerOutcome.ANSWERED, Usage(5, 1)))).answer(QUERY)
    assert (answer.query, answer.text, answer.outcome, answer.usage) == (
        QUERY, "Blue.", AnswerOutcome.ANSWERED, Usage(5, 1),
    )  # fmt: skip
    assert [(hit.chunk.doc_id, hit.rank) for hit in answer.context] == [("d2", 1), ("d1", 2)]


@pytest.mark.parametrize(
    ("says", "outcome"),
    [
        ("It is blue.", AnswerOutcome.ANSWERED),
        ("", AnswerOutcome.EMPTY),
        (" \n", AnswerOutcome.EMPTY),
        ("I could not find this in the documents.", AnswerOutcome.ABSTAINED),
        (Reading(" ", AnswerOutcome.ANSWERED), AnswerOutcome.EMPTY),
        (Reading("", AnswerOutcome.FILTERED), AnswerOutcome.FILTERED),
        (Reading("cut", AnswerOutcome.TRUNCATED), AnswerOutcome.TRUNCATED),
    ],
)
@pytest.mark.parametrize("kind", [FixedReader, FixedCoroutineReader])
def test_what_a_reader_says_gets_its_outcome(
    kind: type[FixedReader], says: Reading | str, outcome: AnswerOutcome
) -> None:
    answer = chatbot(kind(says)).answer(QUERY)
    assert answer.outcome is outcome
    assert answer.text == (says if isinstance(says, str) else says.text)


def test_a_reader_abstains_in_the_language_of_the_query() -> None:
    says = "Die Antwort wurde in den Dokumenten nicht gefunden."
    assert read(FixedReader(says), ROT)[0].outcome is AnswerOutcome.ABSTAINED


def test_top_k_is_applied_before_reranking_and_can_be_lowered() -> None:
    bot = chatbot(FixedReader(), top_k=1)
    # Of d1, d2 one is retrieved, so there is nothing to reverse.
    assert [hit.chunk.doc_id for hit in bot.rank(QUERY)] == ["d1"]
    assert [hit.chunk.doc_id for hit in chatbot(FixedReader()).rank(QUERY, top_k=1)] == ["d2"]
    assert [hit.chunk.doc_id for hit in chatbot(FixedReader()).retrieve(QUERY, top_k=1)] == ["d1"]


def test_the_context_has_its_limits() -> None:
    assert [hit.chunk.doc_id for hit in chatbot(FixedReader(), context_k=1).answer(QUERY).context] == ["d2"]
    # "The roof is blue." has 17 characters; 16 more hold "The door is red.".
    assert len(chatbot(FixedReader(), context_chars=33).answer(QUERY).context) == 2
    assert len(chatbot(FixedReader(), context_chars=32).answer(QUERY).context) == 1


def test_a_plain_question_takes_the_language_of_the_corpus() -> None:
    bot = chatbot(FixedReader())
    assert bot.answer("请问这座房子的屋顶是什么颜色的？").query.lang == "zh"
    assert bot.answer("What is the colour of the roof of this house?").query.lang == "en"
    assert bot.answer("屋顶？").query.lang == "zh"
    one = Chatbot(retriever=ListRetriever()).index(CORPUS[:2])
    assert [hit.chunk.lang for hit in one.retrieve("Roof?")] == ["en", "en"]


def test_nothing_indexed_is_said() -> None:
    bot = Chatbot(retriever=ListRetriever())
    with pytest.raises(InputError, match="the corpus holds no chunk"):
        bot.index([])
    with pytest.raises(InputError, match=r"nothing is indexed; call index\(corpus\) first"):
        bot.answer("What colour is the roof?")


def test_the_default_parts_answer_from_the_corpus() -> None:
    bot = Chatbot().index(CORPUS)
    answer = bot.answer(QUERY)
    assert answer.text == "The roof is blue."
    assert answer.context[0].chunk.doc_id == "d2"
    ((nothing, _),) = asyncio.run(bot.read_all([QUERY], [[]]))
    assert nothing.outcome is AnswerOutcome.ABSTAINED


ROT, BLAU = Query("q1", "de", "Welche Farbe hat die Tür?"), Query("q2", "de", "Welche Farbe hat das Dach?")


class Batches:
    """Reads several queries at once, and says how many."""

    batch_size = 2

    def __init__(self, *says: object) -> None:
        self.says = says
        self.sizes: list[int] = []

    def read(self, query: Query, context: Sequence[Hit]) -> str:
        self.sizes.append(1)
        return f"allein: {query.text}"

    def read_batch(self, queries: Sequence[Query], contexts: Sequence[Sequence[Hit]]) -> list[Any]:
        self.sizes.append(len(queries))
        if isinstance(self.says[0], Exception):
            raise self.says[0]
        return list(self.says)


def read(reader: Any, *queries: Query) -> list[Answer]:
    bot = Chatbot(retriever=ListRetriever(), reader=reader)
    timed = asyncio.run(bot.read_all(queries, [hits("Die Tür ist rot.", lang="de")] * len(queries)))
    return [answer for answer, _ in timed]


def test_a_reader_of_batches_gets_them_at_once() -> None:
    reader = Batches("Rot.", Reading("", AnswerOutcome.FILTERED))
    assert Chatbot(retriever=ListRetriever(), reader=reader).batch_size == 2
    answers = read(reader, ROT, BLAU)
    assert [(answer.query, answer.text, answer.outcome) for answer in answers] == [
        (ROT, "Rot.", AnswerOutcome.ANSWERED), (BLAU, "", AnswerOutcome.FILTERED),
    ]  # fmt: skip
    assert [len(answer.context) for answer in answers] == [1, 1]
    assert read(reader, BLAU)[0].text == "allein: Welche Farbe hat das Dach?"
    assert reader.sizes == [2, 1]
    assert Chatbot(retriever=ListRetriever(), reader=FixedReader()).batch_size == 1


@pytest.mark.parametrize(
    "says", [[RuntimeError("out of memory")], ["nur eine"], ["Rot.", 7]], ids=["raises", "too few", "no text"]
)
def test_a_batch_that_fails_is_read_one_by_one(says: list[object]) -> None:
    reader = Batches(*says)
    answers = read(reader, ROT, BLAU)
    # One query may have spoilt it for the other.
    assert [answer.text for answer in answers] == [f"allein: {query.text}" for query in (ROT, BLAU)]
    assert reader.sizes == [2, 1, 1]


@pytest.mark.parametrize("raised", [ValueError("no"), StopIteration(), SystemExit(3)], ids=repr)
def test_whatever_a_reader_raises_is_this_items_failure(raised: BaseException) -> None:
    class Broken:
        def read(self, query: Query, context: Sequence[Hit]) -> str:
            raise raised

    (answer,) = read(Broken(), ROT)
    assert answer.outcome is AnswerOutcome.ERROR and type(raised).__name__ in answer.error


def test_a_part_may_use_its_own_chatbot() -> None:
    def read(question: str) -> str:
        return bot.retrieve(QUERY)[0].chunk.text

    bot = Chatbot(reader=read)
    assert bot.index(CORPUS).answer(QUERY).text == "The roof is blue."


def test_what_stopped_one_answer_does_not_stop_the_next() -> None:
    bot = chatbot(FixedReader("Blue."))
    bot.session.signal.ask("the endpoint does not answer")
    assert bot.answer(QUERY).text == "Blue."


def test_a_reading_with_parts_of_another_kind_is_a_failure() -> None:
    odd = Reading("Blau.", AnswerOutcome.ANSWERED, {"prompt_tokens": 3})  # type: ignore[arg-type]
    (answer,) = read(FixedReader(odd), BLAU)
    assert answer.outcome is AnswerOutcome.ERROR and "a Reading has a Usage or None" in answer.error


def test_an_answer_without_its_secret_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBPASS", "correcthorse")
    altered()
    for text, said, count in (("It is correcthorse.", "It is ***.", 1), ("It is blue.", "It is blue.", 0)):
        assert chatbot(FixedReader(Reading(text, AnswerOutcome.ANSWERED))).answer(QUERY).text == said
        assert altered() == count


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"usage": Usage(1.5, 3)}, "'usage.prompt_tokens' must be a whole number"),  # type: ignore[arg-type]
        ({"usage": Usage(-1, 3)}, "'usage.prompt_tokens' must be a whole number from 0"),
        ({"logprobs": ((TokenChoice("a", -(10**400)),),)}, "'logprobs[1][1].prob' must be a number"),
        ({"sentences": (CitedSentence("b", ("d\ud83d",)),)}, "'sentences[1].citations[1]' must be a text of whole"),
    ],
)
def test_a_reading_that_could_not_be_read_again_is_a_failure(change: dict[str, Any], place: str) -> None:
    whole = Reading("Blau.", AnswerOutcome.ANSWERED, sentences=(CitedSentence("Blau.", ("d1",)),))
    (answer,) = read(FixedReader(replace(whole, logprobs=((TokenChoice("B", np.float64(0.5)),),))), BLAU)
    assert answer.outcome is AnswerOutcome.ANSWERED and answer.sentences == whole.sentences
    (answer,) = read(FixedReader(replace(whole, **change)), BLAU)
    assert answer.outcome is AnswerOutcome.ERROR and place in answer.error
