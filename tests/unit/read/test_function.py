"""Plain functions as readers."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

import pytest

from fakes import chunk, hits
from ragaliq.components import adapt
from ragaliq.errors import ConfigError
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.read.function import FunctionReader
from ragaliq.types import AnswerOutcome, Query, Reading, Usage

QUERY = Query("q", "ru", "Когда выходит судно?")
CONTEXT = hits("В девять.", "Кухня закрыта.", lang="ru")


def one(question: str) -> str:
    return f"1 {question}"


def two(question: str, texts: list[str], *, loud: bool = False) -> str:
    return f"2 {question} {texts}"


def three(question: str, texts: list[str], lang: str, temperature: float = 0.5, *rest: object, **more: object) -> str:
    return f"3 {question} {texts} {lang} {temperature} {rest} {more}"


class Callable2:
    def __call__(self, question: str, texts: list[str]) -> str:
        return two(question, texts)

    def method(self, question: str) -> str:
        return one(question)


TEXTS = ["В девять.", "Кухня закрыта."]


def test_a_function_gets_as_much_as_it_takes() -> None:
    cases: list[tuple[Callable[..., str], str]] = [
        (one, f"1 {QUERY.text}"),
        (two, f"2 {QUERY.text} {TEXTS}"),
        (three, f"3 {QUERY.text} {TEXTS} ru 0.5 () {{}}"),
        (Callable2(), f"2 {QUERY.text} {TEXTS}"),
        (Callable2().method, f"1 {QUERY.text}"),
        (functools.partial(three, "Wann?"), f"3 Wann? {QUERY.text} {TEXTS} 0.5 () {{}}"),
        (lambda question: f"λ {question}", f"λ {QUERY.text}"),
    ]
    for function, answer in cases:
        assert FunctionReader(function).read(QUERY, CONTEXT) == answer, answer


def test_a_coroutine_function_can_be_awaited() -> None:
    async def ask(question: str, texts: list[str]) -> Reading:
        await asyncio.sleep(0)
        return Reading(texts[0], AnswerOutcome.ANSWERED, Usage(3, 1))

    async def awaited() -> object:
        return await FunctionReader(ask).read(QUERY, CONTEXT)  # type: ignore[misc]

    assert asyncio.run(awaited()) == Reading("В девять.", AnswerOutcome.ANSWERED, Usage(3, 1))


def test_a_function_is_a_reader_of_the_chatbot() -> None:
    bot = Chatbot(reader=adapt("reader", two)).index([chunk("d1", "Das Boot fährt um neun.", "de")])
    answer = bot.answer(Query("q", "de", "Wann fährt das Boot?"))
    assert answer.text == "2 Wann fährt das Boot? ['Das Boot fährt um neun.']"
    assert answer.outcome is AnswerOutcome.ANSWERED


def nothing() -> str:
    return ""


def four(a: str, b: str, c: str, d: str) -> str:
    return ""


def keyword(question: str, *, lang: str) -> str:
    return ""


def anything(*args: object) -> str:
    return ""


def test_other_functions_are_refused() -> None:
    cases: list[tuple[Callable[..., Any], str]] = [
        (nothing, "reader 'nothing': 0 parameters without a default; write it as f(question), "),
        (four, "reader 'four': 4 parameters without a default; write it as f(question), "),
        (anything, "reader 'anything': 0 parameters without a default; write it as f(question), "),
        (keyword, "reader 'keyword': the parameter 'lang' can only be given by name; write it as "),
        (max, "reader 'max': "),
    ]
    for function, message in cases:
        with pytest.raises(ConfigError) as caught:
            FunctionReader(function)
        assert str(caught.value).startswith(message), message
