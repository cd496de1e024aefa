"""LangChain runnables as readers: real chains, prompts and model interfaces of langchain-core."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough

from fakes import chunk, hits
from ragaliq.components import adapt
from ragaliq.errors import ConfigError
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.read.langchain import RunnableReader
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, Query, Reading, Usage

QUERY = Query("q", "de", "Wann fährt das Boot?")
CONTEXT = hits("Es fährt um neun.", "Die Küche ist zu.", lang="de")
MAPPING = {"question": QUERY.text, "context": "Es fährt um neun.\n\nDie Küche ist zu.", "lang": "de"}


def read(runnable: Runnable[Any, Any], query: Query = QUERY) -> Reading:
    return asyncio.run(RunnableReader(runnable).read(query, CONTEXT))


class Echo(FakeListChatModel):
    """Answers with the texts of the messages that it got."""

    responses: list[str] = [""]  # noqa: RUF012

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        return "|".join(str(message.content) for message in messages)


class OneDocument(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page_content=f"found for {query}")]


class Typed(TypedDict):
    question: str
    context: str


def takes_text(question: str) -> str:
    return repr(question)


async def takes_text_async(question: str) -> str:
    return repr(question)


def takes_anything(given):  # type: ignore[no-untyped-def]
    return repr(given)


def takes_mapping(given: dict[str, str]) -> str:
    return repr(given)


def takes_typed(given: Typed) -> str:
    return repr(given)


def takes_items(given):  # type: ignore[no-untyped-def]
    return given["question"] + "/" + given["lang"]


def prompted(text: str) -> Runnable[Any, Any]:
    return ChatPromptTemplate.from_template(text) | Echo() | StrOutputParser()


def test_a_runnable_gets_what_its_input_schema_asks_for() -> None:
    cases: list[tuple[Runnable[Any, Any], str]] = [
        (RunnableLambda(takes_text), repr(QUERY.text)),
        (RunnableLambda(takes_text_async), repr(QUERY.text)),
        (RunnableLambda(takes_text).with_retry(), repr(QUERY.text)),
        (RunnableLambda(takes_anything), repr(MAPPING)),
        (RunnableLambda(takes_mapping), repr(MAPPING)),
        (RunnableLambda(takes_typed), repr(MAPPING)),
        (RunnableLambda(takes_items), f"{QUERY.text}/de"),
        (prompted("{question} <{context}> {lang}"), f"{QUERY.text} <{MAPPING['context']}> de"),
        (prompted("{context}"), MAPPING["context"]),
        (prompted("Frage: {input}"), f"Frage: {QUERY.text}"),
        (
            {"context": OneDocument() | (lambda docs: docs[0].page_content), "question": RunnablePassthrough()}
            | prompted("{question} <{context}>"),
            f"{QUERY.text} <found for {QUERY.text}>",
        ),
        (
            RunnablePassthrough.assign(loud=lambda given: given["question"].upper()) | prompted("{loud} <{context}>"),
            f"{QUERY.text.upper()} <{MAPPING['context']}>",
        ),
    ]
    for runnable, answer in cases:
        assert read(runnable) == Reading(answer.strip(), AnswerOutcome.ANSWERED), answer
        assert RunnableReader(runnable).prompt_hash == "", answer


def test_a_bare_model_gets_our_messages() -> None:
    cases: list[str] = ["de", "en", "fr", "es", "ru", "zh"]
    for lang in cases:
        query = Query("q", lang, QUERY.text)
        prompt = ReaderPrompt()
        asked = "|".join(message["content"] for message in prompt.messages(query, CONTEXT))
        for model in (Echo(), Echo().bind(stop=["x"])):
            assert read(model, query).text == asked, lang
            assert RunnableReader(model).prompt_hash == prompt.hash, lang


def test_the_answer_is_found_in_what_a_chain_returns() -> None:
    cases: list[tuple[object, str]] = [
        ("Um neun.", "Um neun."),
        (AIMessage("Um neun."), "Um neun."),
        (AIMessage([{"type": "text", "text": "Um "}, {"type": "image", "url": "x"}, "neun."]), "Um neun."),
        ({"answer": " Um neun.\n", "text": "no"}, "Um neun."),
        ({"source_documents": [], "result": AIMessage("Um neun.")}, "Um neun."),
        ({"output": "Um neun.", "input": "no"}, "Um neun."),
        ({"text": "Um neun."}, "Um neun."),
    ]
    for result, text in cases:
        assert read(RunnableLambda(lambda given: result)) == Reading(text, AnswerOutcome.ANSWERED), text


def test_what_is_no_answer_is_an_error() -> None:
    cases: list[tuple[object, str]] = [
        ({"response": "x", "docs": []}, "returned the keys response, docs; one of answer, result, output, text is"),
        ([Document(page_content="x")], "returned list; a text, a message or a mapping is needed"),
        (None, "returned NoneType; a text"),
        ({"answer": None}, "returned NoneType; a text"),
        (7, "returned int; a text"),
    ]
    for result, error in cases:
        found = read(RunnableLambda(lambda given: result))
        assert (found.text, found.outcome) == ("", AnswerOutcome.ERROR), error
        assert found.error.startswith(f"the runnable {error}"), error


def test_tokens_and_the_end_are_taken_from_a_message() -> None:
    usage = {"input_tokens": 40, "output_tokens": 5, "total_tokens": 45}

    def said(text: str, **metadata: str) -> Reading:
        message = AIMessage(text, usage_metadata=usage, response_metadata=metadata)
        return read(GenericFakeChatModel(messages=iter([message])))

    assert said("Um neun.") == Reading("Um neun.", AnswerOutcome.ANSWERED, Usage(40, 5))
    assert said("Um neun.", finish_reason="stop").outcome is AnswerOutcome.ANSWERED
    assert said("Um ne", finish_reason="length").outcome is AnswerOutcome.TRUNCATED
    assert said("Um ne", stop_reason="max_tokens").outcome is AnswerOutcome.TRUNCATED
    assert said("", finish_reason="content_filter").outcome is AnswerOutcome.FILTERED
    assert said(" ").outcome is AnswerOutcome.EMPTY
    assert said(not_found("de")).outcome is AnswerOutcome.ABSTAINED


def test_a_thought_is_no_part_of_the_answer() -> None:
    reading = read(RunnableLambda(lambda _: AIMessage("<think>Um zehn?</think>\n\nUm neun.")))
    assert (reading.text, reading.reasoning, reading.outcome) == ("Um neun.", "Um zehn?", AnswerOutcome.ANSWERED)
    assert read(RunnableLambda(lambda _: "<think>Um zehn?")).outcome is AnswerOutcome.TRUNCATED


def test_a_reading_is_passed_on() -> None:
    made = Reading("Um neun.", AnswerOutcome.TRUNCATED, Usage(1, 2))
    assert read(RunnableLambda(lambda given: made)) == made


def test_other_keys_are_refused_at_once() -> None:
    cases: list[tuple[Runnable[Any, Any], str]] = [
        (prompted("{query} {documents}"), "documents, query"),
        (prompted("{question} {input}"), "input, question"),
        (ChatPromptTemplate.from_messages([MessagesPlaceholder("history")]) | Echo(), "history"),
    ]
    for runnable, names in cases:
        with pytest.raises(ConfigError, match=rf"the runnable needs {names}; it is given question, context, lang$"):
            RunnableReader(runnable)


class Duck:
    """Has the one method and no schema."""

    async def ainvoke(self, given: object) -> str:
        return repr(given)


def test_an_object_with_the_method_alone_gets_the_mapping() -> None:
    found = asyncio.run(adapt("reader", Duck()).read(QUERY, CONTEXT))
    assert found == Reading(repr(MAPPING), AnswerOutcome.ANSWERED)


def test_a_chain_is_a_reader_of_the_chatbot() -> None:
    bot = Chatbot(reader=adapt("reader", prompted("{question} <{context}>")))
    bot.index([chunk("d1", "Судно выходит в девять.", "ru")])
    answer = bot.answer(Query("q", "ru", "Когда выходит судно?"))
    assert answer.text == "Когда выходит судно? <Судно выходит в девять.>"
