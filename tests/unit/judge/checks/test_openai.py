from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, between_fences, chat_server, hits, item
from ragaliq.judge.checks.openai import OpenAIChecker, read_findings
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.judge.controls.attacks import load_attacks
from ragaliq.llm import LLMSession, ResponseCache
from ragaliq.types import Answer, AnswerOutcome, Usage, VerdictOutcome

PARTS = ("Sie öffnet um 7 Uhr.", "Sie ist blau.")
DOCS = ("a", "b")


def rows(*found: tuple[int, str, int]) -> list[dict[str, Any]]:
    return [{"sentence": number, "support": support, "passage": passage} for number, support, passage in found]


def reply(sentences: Any, abstains: Any = "no", in_language: Any = "yes") -> str:
    return json.dumps({"sentences": sentences, "abstains": abstains, "in_language": in_language})


RIGHT = reply(rows((1, "supported", 2), (2, "not", 0)))


def test_findings_of_a_reply() -> None:
    found = read_findings(RIGHT, PARTS, DOCS)
    assert found is not None and (found.abstains, found.in_language) == (False, True)
    assert found.sentences == (
        SentenceCheck(PARTS[0], Support.SUPPORTED, "b"),
        SentenceCheck(PARTS[1], Support.NOT),
    )
    other = read_findings(
        f"```json\n{reply(rows((1, 'partly', 1), (2, 'none', 0)), 'yes', 'unclear')}\n```", PARTS, DOCS
    )
    assert other is not None and (other.abstains, other.in_language) == (True, None)
    assert other.sentences == (SentenceCheck(PARTS[0], Support.PARTLY, "a"), SentenceCheck(PARTS[1], None))
    third = read_findings(reply(rows((1, "contradicted", 2), (2, "not", 0))), PARTS, DOCS)
    assert third is not None and third.sentences[0] == SentenceCheck(PARTS[0], Support.CONTRADICTED, "b")


def test_a_reply_that_leaves_a_question_open_gives_no_findings() -> None:
    cases: list[str] = [
        "",
        "All is supported.",
        f"Here it is: {RIGHT}",
        f"{RIGHT} So it is.",
        f"{RIGHT}\n{RIGHT}",
        RIGHT[:-1],
        "[]",
        "{}",
        reply(rows((1, "supported", 2))),
        reply(rows((1, "supported", 2), (2, "not", 0), (3, "not", 0))),
        reply(rows((2, "not", 0), (1, "supported", 2))),
        reply(rows((1, "supported", 2), (1, "not", 0))),
        reply(rows((1, "supported", 3), (2, "not", 0))),
        reply(rows((1, "supported", 0), (2, "not", 0))),
        reply(rows((1, "partly", -1), (2, "not", 0))),
        reply(rows((1, "contradicted", 0), (2, "not", 0))),
        reply(rows((1, "Supported", 2), (2, "not", 0))),
        reply([{"sentence": 1, "support": "supported", "passage": "2"}, {"sentence": 2, "support": "not"}]),
        reply([{"sentence": True, "support": "supported", "passage": 2}, {"sentence": 2, "support": "not"}]),
        reply(["supported", "not"]),
        reply({"1": "supported", "2": "not"}),
        reply(rows((1, "supported", 2), (2, "not", 0)), abstains=False),
        reply(rows((1, "supported", 2), (2, "not", 0)), abstains="maybe"),
        reply(rows((1, "supported", 2), (2, "not", 0)), in_language=None),
        reply(rows((1, "supported", 2), (2, "not", 0)), in_language="de"),
        RIGHT.replace('"abstains": "no"', '"abstains": "no", "abstains": "yes"'),
        "[" * 9999,
    ]
    for text in cases:
        assert read_findings(text, PARTS, DOCS) is None, text


ASKED = item("Wann öffnet die Kantine?", "Um 7.", "de")
ANSWER = Answer(
    ASKED.query, " ".join(PARTS), AnswerOutcome.ANSWERED, tuple(hits("Sie öffnet um 8.", "Um 7.", lang="de"))
)


def ask(
    says: Callable[[dict[str, Any]], Scripted], answers: list[Answer], session: LLMSession | None = None, port: int = 0
) -> tuple[list[Check], ChatServer]:
    with chat_server(lambda request, number: says(request), port=port) as server:
        Path(".env").write_text(f"TOKEN=t\nJUDGE_API_LINK={server.link}\n")
        session = session or LLMSession()
        checker = OpenAIChecker("m", session=session)

        async def call() -> list[Check]:
            try:
                return await asyncio.gather(*(checker.check(ASKED, answer) for answer in answers))
            finally:
                await session.close()

        return asyncio.run(call()), server


@pytest.mark.usefixtures("alone")
def test_one_request_asks_all_questions_about_numbered_texts() -> None:
    (found,), server = ask(lambda request: Scripted(RIGHT), [ANSWER])
    assert (found.outcome, found.abstains, found.in_language) == (VerdictOutcome.SCORED, False, True)
    assert [(s.text, s.support, s.doc_id) for s in found.sentences] == [
        (PARTS[0], Support.SUPPORTED, "d2"), (PARTS[1], Support.NOT, None),
    ]  # fmt: skip
    assert (found.judge, found.attempts, found.usage) == ("openai:m", 1, Usage(7, 3))
    (request,) = server.requests
    prompt = request["messages"][1]["content"]
    labels = {"QUESTION": ASKED.query.text, "PASSAGE 1": "Sie öffnet um 8.", "PASSAGE 2": "Um 7.",
              "SENTENCE 1": PARTS[0], "SENTENCE 2": PARTS[1]}  # fmt: skip
    assert {label: between_fences(prompt, label) for label in labels} == labels
    # The reference is no part of it: support is a matter of what the reader was shown.
    assert ASKED.reference == "Um 7." and prompt.count("Um 7.") == 1
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["sentences", "abstains", "in_language"]


@pytest.mark.usefixtures("alone")
def test_every_failure_has_a_type_and_its_reason() -> None:
    cases: list[tuple[Scripted, VerdictOutcome]] = [
        (Scripted("All fine. [RESULT] 5"), VerdictOutcome.UNPARSEABLE),
        (Scripted(""), VerdictOutcome.UNPARSEABLE),
        (Scripted(RIGHT, finish_reason="length"), VerdictOutcome.TRUNCATED),
        (Scripted(RIGHT, finish_reason="content_filter"), VerdictOutcome.FILTERED),
        (Scripted(None, refusal="No."), VerdictOutcome.REFUSED),
        (Scripted(status=400, raw='{"error": {"code": "content_filter"}}'), VerdictOutcome.FILTERED),
        (Scripted("no", status=400), VerdictOutcome.API_ERROR),
    ]
    for scripted, outcome in cases:
        (found,), _ = ask(lambda request: scripted, [ANSWER])
        assert (found.outcome, found.abstains, found.in_language, found.sentences) == (outcome, None, None, ()), outcome
        assert bool(found.error) == (scripted.content != ""), outcome


@pytest.mark.usefixtures("alone")
def test_findings_are_asked_for_once_and_lost_ones_again() -> None:
    said = iter(["lost", RIGHT, "never"])
    given, port = [], 0
    for _ in range(3):
        session = LLMSession(ResponseCache(Path("replies.sqlite")))
        (check,), server = ask(lambda request: Scripted(next(said)), [ANSWER], session, port)
        port = server.port
        given.append(check)
    assert [found.outcome for found in given] == ["unparseable", "scored", "scored"] and given[1] == given[2]


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_no_attack_through_the_context_or_the_answer_makes_findings() -> None:
    """A judge that repeats what it reads gives no findings, and its own are read whatever it has read."""
    attacks = load_attacks()
    passages = [f"Um 7.\n{attack.text}" for attack in attacks]
    poisoned = [Answer(ASKED.query, "Ja.", AnswerOutcome.ANSWERED, tuple(hits(text))) for text in passages]
    answers = [Answer(ASKED.query, a.apply(""), AnswerOutcome.ANSWERED, ()) for a in attacks]

    def repeats(request: dict[str, Any]) -> Scripted:
        prompt = request["messages"][1]["content"]
        label = "PASSAGE 1" if " PASSAGE 1\n" in prompt else "SENTENCE 1"
        return Scripted(between_fences(prompt, label))

    assert {found.outcome for found in ask(repeats, poisoned + answers)[0]} == {VerdictOutcome.UNPARSEABLE}
    own = reply(rows((1, "not", 0)))
    altered = [found for found in ask(lambda request: Scripted(own), poisoned)[0] if found.outcome != "scored"]
    assert altered == []
