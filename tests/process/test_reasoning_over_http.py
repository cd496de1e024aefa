"""Models that think before they answer, as reader and as judge, behind a real HTTP server: a thought is never read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import THOUGHT_FORMS, ChatServer, Scripted, chat_server, hits, item
from ragaliq.benchmark.load import load_benchmark
from ragaliq.cli import main
from ragaliq.errors import Stopped
from ragaliq.judge.openai import OpenAIJudge
from ragaliq.llm import LLMSession, ResponseCache
from ragaliq.llm.prices import Price, Prices
from ragaliq.read.openai import OpenAIReader
from ragaliq.read.outcome import CUT
from ragaliq.types import Answer, AnswerOutcome, Query, Reading, Verdict, VerdictOutcome
from small import LANGS

THOUGHT = "I must look at the passages. The gate, the boats: or is it 22:30? No, I do not know this. Let me see."
TAGS = ("<think>", "</think>")
Server = Callable[[dict[str, Any], int], Scripted]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    monkeypatch.setenv("TOKEN", "t")


def raw(content: Any = None, finish: str = "stop", usage: dict[str, Any] | None = None, **message: Any) -> Scripted:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return Scripted(
        raw=json.dumps({"choices": [choice], "usage": usage or {"prompt_tokens": 7, "completion_tokens": 3}})
    )


def always(said: Scripted) -> Server:
    return lambda request, number: said


def grade(reply: Server, monkeypatch: pytest.MonkeyPatch) -> tuple[Verdict, ChatServer]:
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        return asyncio.run(verdicts(1))[0], server


async def verdicts(n: int, begin: Callable[[int], None] = lambda number: None) -> list[Verdict]:
    """Grade one answer several times, one after the other; `begin` gets the number of each."""
    asked, session = item("When does it open?", "At 7."), LLMSession()
    judge, graded = OpenAIJudge("m", session=session), []
    for number in range(n):
        begin(number)
        graded.append(await judge.grade(asked, Answer(asked.query, "At 8.", AnswerOutcome.ANSWERED, ())))
    await session.close()
    return graded


def grades(said: list[Scripted], monkeypatch: pytest.MonkeyPatch) -> tuple[list[Verdict], ChatServer]:
    """The verdicts of judges that always say the same, each something else."""
    now: list[Scripted] = []
    with chat_server(lambda request, number: now[-1]) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        return asyncio.run(verdicts(len(said), lambda number: now.append(said[number]))), server


def read(
    reply: Server,
    monkeypatch: pytest.MonkeyPatch,
    n: int = 1,
    session: LLMSession | None = None,
    port: int = 0,
    **options: Any,
) -> tuple[list[Reading], ChatServer]:
    with chat_server(reply, port=port) as server:
        monkeypatch.setenv("READER_API_LINK", server.link)
        shared = session or LLMSession()
        reader = OpenAIReader("m", session=shared, **options)

        async def call() -> list[Reading]:
            try:
                context = hits("The gate opens at seven.")
                return [await reader.read(Query(f"q{i}", "en", f"When? ({i})"), context) for i in range(n)]
            finally:
                await shared.close()

        return asyncio.run(call()), server


def perfect(folder: Path, form: tuple[str, str] | None) -> Server:
    """A reader's server that answers with the reference; without tags the thought comes in a field of its own."""
    items = [one for of_lang in load_benchmark(folder, list(LANGS)).items.values() for one in of_lang]
    references = {one.query.text: one.reference for one in items}

    def reply(request: dict[str, Any], number: int) -> Scripted:
        prompt = request["messages"][-1]["content"]
        # One question may be part of another.
        reference = references[max((asked for asked in references if asked in prompt), key=len)]
        if form is None:
            return raw(reference, reasoning_content=THOUGHT)
        return raw(f"{form[0]}{THOUGHT}{form[1]}\n\n{reference}")

    return reply


def scored(
    data: str,
    form: tuple[str, str] | None,
    monkeypatch: pytest.MonkeyPatch,
    *,
    langs: Sequence[str] = LANGS,
    limit: int,
) -> dict[str, int]:
    """Run a reader of perfect answers to the first queries of each language; check that each scores 1.00.

    Returns how many answerable ones there were by language.
    """
    with chat_server(perfect(Path(data), form)) as server:
        monkeypatch.setenv("READER_API_LINK", server.link)
        options = ["--data", data, "--reader_model_id", "openai:m", "--embedder_model_id", "char-ngrams",
                   "--check", "none", "--no-controls", "--out", "r", "--lang", ",".join(langs),
                   "--limit", str(limit)]  # fmt: skip
        assert main(["run", *options]) == 0
    answers = [json.loads(line) for line in Path("r/answers.jsonl").read_text().splitlines()]
    grades = {
        (row["lang"], row["query_id"]): row["grade"]
        for row in map(json.loads, Path("r/verdicts.jsonl").read_text().splitlines())
    }
    n = dict.fromkeys(langs, 0)
    for row in answers:
        assert (row["answer"], row["reasoning"]) == (row["reference"], THOUGHT)
        if row["answerable"]:
            n[row["lang"]] += 1
            assert grades[row["lang"], row["query_id"]] == 5, row["reference"]
    return n


@pytest.mark.parametrize("form", [TAGS, ("", "</think>"), None], ids=["tags", "template", "apart"])
def test_a_reader_that_thinks_loses_nothing(
    form: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    langs = LANGS if form == TAGS else ("de", "ru", "zh")
    n = scored("small", form, monkeypatch, langs=langs, limit=4)
    out = capsys.readouterr().out
    for lang in langs:
        assert f"{lang}  weighted_score 1.000 " in out and f"graded {n[lang]}/{n[lang]}" in out


@pytest.mark.slow
def test_a_reader_that_thinks_scores_one_on_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    n = scored(str(ROOT / "data" / "velmora"), ("<think>\n", "\n</think>"), monkeypatch, limit=1000)
    assert min(n.values()) > 100


@pytest.mark.parametrize(("opening", "closing"), THOUGHT_FORMS)
def test_a_thought_is_never_a_grade(opening: str, closing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict_in_json = '{"feedback": "x", "grade": 5}'
    cases: list[tuple[str, int | None]] = [
        # The grade in the thought, before or after one that counts, or alone.
        (f"{opening}So [RESULT] 5?{closing}\nFeedback: wrong. [RESULT] 2", 2),
        (f"{opening}So {verdict_in_json}?{closing}\n{verdict_in_json.replace('5', '2')}", 2),
        (f"{opening}So [RESULT] 5.{closing}\nIt is wrong.", None),
        (f"{opening}So [RESULT] 5.{closing}", None),
        # Cut off, with and without another end.
        (f"{opening}So [RESULT] 5 which is odd. I will now", None),
        (f"{opening}So {verdict_in_json}", None),
        (f"{opening}So [RESULT] 5.</other>\n", None),
        (f"{opening}So [RESULT] 5.<|inner_suffix|>\n" if "inner" not in opening else opening, None),
        # Within another, repeated, in capitals.
        (f"{opening}So {opening}[RESULT] 5{closing} or [RESULT] 4{closing}\n[RESULT] 2", 2),
        (f"{opening}So [RESULT] 5{closing}{opening}or [RESULT] 4{closing}\n[RESULT] 2", 2),
        (f"{opening.upper()}So [RESULT] 5{closing.upper()}\n[RESULT] 2", 2),
        # A thought behind a text, or one that a template opened.
        (f"Hm.\n{opening}So [RESULT] 5", None if opening[0] in "<[◁" else 5),
        (f"Hm. {opening}So [RESULT] 5", None if opening[0] in "<[◁" else 5),
    ]
    if opening[0] in "<[◁":
        cases += [
            (f"{opening}So [RESULT] 5{closing}\n{opening}or [RESULT] 4", None),
            (f"So [RESULT] 5?{closing}\nFeedback: wrong. [RESULT] 2", 2),
            (f"So [RESULT] 5?{closing}\nIt is wrong.", None),
            (f"Feedback: fine. [RESULT] 4\n{opening}Or [RESULT] 5?{closing}", 4),
            (f"Feedback: fine. [RESULT] 4 {closing}", None),
        ]
    graded, server = grades([raw(content) for content, _ in cases], monkeypatch)
    for (content, expected), verdict in zip(cases, graded, strict=True):
        assert verdict.grade == expected, content
    turns = [
        message for request in server.requests for message in request["messages"] if message["role"] == "assistant"
    ]
    # None of those asked for their form again had anything of the thought left.
    assert not [turn for turn in turns if "So" in turn["content"]]


def test_a_thought_apart_is_never_a_grade(monkeypatch: pytest.MonkeyPatch) -> None:
    thought = "Perhaps [RESULT] 5"
    cases: list[tuple[dict[str, Any], int | None]] = [
        ({"reasoning_content": thought, "content": "[RESULT] 2"}, 2),
        ({"reasoning_content": thought, "content": ""}, None),
        ({"reasoning": {"text": thought}, "content": None}, None),
        ({"reasoning_details": [{"type": "reasoning.text", "text": thought}], "content": "[RESULT] 2"}, 2),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": thought}]},
                      {"type": "text", "text": "[RESULT] 2"}]}, 2),
        ({"content": [{"type": "reasoning", "text": thought}]}, None),
    ]  # fmt: skip
    graded, _ = grades([raw(**message) for message, _ in cases], monkeypatch)
    for (message, expected), verdict in zip(cases, graded, strict=True):
        assert (verdict.grade, verdict.reasoning) == (expected, thought), message


def test_a_judge_that_is_cut_while_thinking_is_asked_once_more_with_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(request: dict[str, Any], number: int) -> Scripted:
        return raw("<think>[RESULT] 5", "length") if request["max_tokens"] < 8192 else raw("<think>x</think>[RESULT] 2")

    verdict, server = grade(short, monkeypatch)
    assert (verdict.grade, verdict.attempts, verdict.reasoning) == (2, 1, "x")
    assert [request["max_tokens"] for request in server.requests] == [1024, 8192]

    for cut in (
        raw("<think>[RESULT] 5", "length"),
        raw("", "length", reasoning_content="[RESULT] 5"),
        raw("[RESULT] 5", "length", {"prompt_tokens": 7, "completion_tokens": 9,
                                     "completion_tokens_details": {"reasoning_tokens": 8}}),
        raw(None, "length"),
    ):  # fmt: skip
        verdict, server = grade(always(cut), monkeypatch)
        assert (verdict.grade, verdict.outcome) == (None, VerdictOutcome.TRUNCATED)
        assert [request["max_tokens"] for request in server.requests] == [1024, 8192]
    # What ends by itself, or is cut without a thought, would be no better with more room.
    for cut in (raw("<think>[RESULT] 5"), raw("Feedback: so [RESULT] 5", "length")):
        verdict, server = grade(always(cut), monkeypatch)
        assert (verdict.outcome, len(server.requests)) == (VerdictOutcome.TRUNCATED, 1)


def test_a_reader_that_is_cut_while_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(request: dict[str, Any], number: int) -> Scripted:
        return raw("<think>Hm", "length") if request["max_tokens"] < 4096 else raw("<think>x</think>At seven.")

    # Once the endpoint is known to think, it has the room from the start.
    readings, server = read(short, monkeypatch, 3)
    assert [reading.text for reading in readings] == ["At seven."] * 3
    assert [request["max_tokens"] for request in server.requests] == [512, 4096, 4096, 4096]

    # The limit that the user chose stands.
    (reading,), server = read(short, monkeypatch, sampling={"max_tokens": 600})
    assert reading == Reading("", AnswerOutcome.TRUNCATED, reading.usage, CUT, reasoning="Hm")
    assert [request["max_tokens"] for request in server.requests] == [600]


def test_a_window_without_that_room_leaves_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def small_window(request: dict[str, Any], number: int) -> Scripted:
        if request["max_tokens"] > 512:
            return Scripted("This model's maximum context length is 2048 tokens.", status=400)
        return raw("<think>Hm", "length") if number == 0 else raw("<think>x</think>At seven.")

    readings, server = read(small_window, monkeypatch, 2)
    assert [reading.outcome for reading in readings] == [AnswerOutcome.TRUNCATED, AnswerOutcome.ANSWERED]
    assert [request["max_tokens"] for request in server.requests] == [512, 4096, 4096, 512]


def test_the_budget_sets_the_room_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    # 512 tokens may cost .512 USD, 4096 of them 4.096.
    prices = Prices(Path("p.yaml"), "2026-05", {"m": Price(prompt=0.0, completion=1000.0)})
    cut = raw("<think>Hm", "length")
    session = LLMSession(prices=prices, max_cost=4.0)
    with pytest.raises(Stopped, match=r"the next call may cost 4\.09"):
        read(always(cut), monkeypatch, session=session)
    session = LLMSession(prices=prices, max_cost=4.2)
    _, server = read(always(cut), monkeypatch, session=session)
    assert len(server.requests) == 2


def test_the_cache_keeps_the_reply_under_the_request_as_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def short(request: dict[str, Any], number: int) -> Scripted:
        return raw("<think>Hm", "length") if request["max_tokens"] < 4096 else raw("<think>x</think>At seven.")

    first, server = read(short, monkeypatch, session=LLMSession(ResponseCache(tmp_path / "c.sqlite")))
    cached = LLMSession(ResponseCache(tmp_path / "c.sqlite"))
    again, server = read(short, monkeypatch, session=cached, port=server.port)
    assert first == again and server.requests == []
