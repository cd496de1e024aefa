"""A panel, and repeats of a judge: every draw is an own call, and the verdict is made of all of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server, item
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, Stopped
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.judge.panel import PanelJudge, at_temperature, clients, judge_models, repeated
from ragaliq.llm import LLMSession, ResponseCache
from ragaliq.types import Answer, AnswerOutcome, Item, JudgeVote, Refusal, Verdict, VerdictOutcome

ASKED = item("Wann öffnet die Kantine?", "Um 7:00 Uhr.", "de")
GIVEN = Answer(ASKED.query, "Um sieben.", AnswerOutcome.ANSWERED, ())


@pytest.fixture(autouse=True)
def quick(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")


class Says:
    """A judge of somebody's own that always says the same; `None` is a reply without a grade."""

    def __init__(self, name: str, grade: int | None, fails: Exception | None = None) -> None:
        self.name, self.prompt_hash = name, f"hash of {name}"
        self._grade, self._fails = grade, fails

    def grade(self, asked: Item, answer: Answer) -> Verdict:
        if self._fails is not None:
            raise self._fails
        outcome = VerdictOutcome.REFUSED if self._grade is None else VerdictOutcome.SCORED
        text = f"{self.name} says {self._grade}"
        return Verdict(asked.query.query_id, asked.query.lang, self._grade, outcome, text, self.name, self.prompt_hash)


A, B, C = Says("a", 5), Says("b", 1), Says("c", 0)
LOST, BROKEN, STOPS = Says("lost", None), Says("broken", 3, OSError("gone")), Says("stops", 3, Stopped("enough"))


def own(*names: str, **more: Any) -> PanelJudge:
    return PanelJudge(judges=[f"python:{__name__}:{name}" for name in names], **more)


def grade(judge: PanelJudge, session: LLMSession | None = None) -> Verdict:
    async def call() -> Verdict:
        try:
            return await judge.grade(ASKED, GIVEN)
        finally:
            if session is not None:
                await session.close()

    return asyncio.run(call())


def test_the_median_of_a_panel_is_one_of_worth() -> None:
    judge = own("A", "B", "C")
    verdict = grade(judge)
    # In worth 1 < 0 < 5.
    assert (verdict.grade, verdict.outcome, verdict.feedback) == (0, VerdictOutcome.SCORED, "c says 0")
    scored = VerdictOutcome.SCORED
    assert verdict.draws == (JudgeVote("a", 5, scored), JudgeVote("b", 1, scored), JudgeVote("c", 0, scored))
    assert (verdict.judge, verdict.prompt_hash) == (judge.name, judge.prompt_hash)
    assert (verdict.query_id, verdict.lang, verdict.attempts, verdict.usage) == ("q1", "de", 3, None)
    assert judge.name == "panel(a, b, c)"


def test_too_few_grades_are_none() -> None:
    assert grade(own("A", "LOST")).grade == 5
    verdict = grade(own("A", "LOST", "BROKEN"))
    assert (verdict.grade, verdict.outcome) == (None, VerdictOutcome.REFUSED)
    assert verdict.feedback == "lost says None"
    assert verdict.draws[2] == JudgeVote("broken", None, VerdictOutcome.API_ERROR)


def test_what_most_draws_say_of_refusing() -> None:
    none, partial, full = Refusal
    cases: list[tuple[list[Refusal | None], Refusal | None]] = [
        ([full, full, none], full),
        ([full, none], None),
        ([full, none, partial], None),
        # Who says nothing has no vote.
        ([partial, None, None], partial),
        ([None, None], None),
    ]
    for said, expected in cases:
        draws = [replace(Says("a", 3).grade(ASKED, GIVEN), refuses=one) for one in said]
        assert own("A", "B").merge(ASKED, draws).refuses is expected, said


def test_what_stops_a_member_stops_the_panel() -> None:
    with pytest.raises(Stopped, match="enough"):
        grade(own("A", "STOPS"))


def test_the_majority_is_an_option_and_another_judge() -> None:
    judges = [own("A", "B", "C", rule=rule) for rule in ("median", "majority")]
    assert judges[0].prompt_hash != judges[1].prompt_hash
    assert own("A", "B", "C").prompt_hash == judges[0].prompt_hash
    assert grade(own("A", "B", repeats=2, rule="majority")).grade == 1


def test_a_panel_that_cannot_be_is_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"model": "offline"}, "at least two judges"),
        ({"model": "offline+offline"}, "'offline' is named twice"),
        ({"model": "offline", "repeats": 3}, "says the same each time"),
        ({"model": "offline+openai:m", "judges": ["offline"]}, "not in both"),
        ({"judges": "offline"}, "must be a list"),
        ({"judges": ["offline", {"kind": "panel", "model": "x"}]}, "a panel cannot be a member"),
        ({"model": "offline+ofline"}, "did you mean 'offline'"),
        ({"model": "offline", "repeats": 0}, "at least 1"),
        ({"model": "offline", "rule": "medain"}, "did you mean 'median'"),
    ]
    for options, said in cases:
        with pytest.raises(ConfigError, match=said):
            PanelJudge(**options)


def test_each_draw_is_an_own_call_kept_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["[RESULT] 5", "[RESULT] 2", "no grade", "no grade either", "[RESULT] 4"]
    with chat_server(lambda request, number: Scripted(said[number])) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        component = repeated(Component("openai", "m"), 3)

        def draw() -> Verdict:
            session = LLMSession(ResponseCache(Path("replies.sqlite")))
            return grade(make("judge", component, seed=0, session=session), session)

        first = draw()
        assert (first.judge, first.grade, len(server.requests)) == ("openai:m x3", 2, 4)
        assert [drawn.grade for drawn in first.draws] == [5, 2, None]
        # The first three differ, so no draw is another's reply; the fourth asks for the form of the third.
        prompts = [request["messages"][1]["content"] for request in server.requests[:3]]
        assert len(set(prompts)) == 3
        again = draw()
        assert [drawn.grade for drawn in again.draws] == [5, 2, 4] and again.grade == 4
        # Only the draw without a grade was asked again.
        assert len(server.requests) == 5 and server.requests[4]["messages"][1]["content"] == prompts[2]


def test_the_first_draw_is_the_call_of_the_judge_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda request, number: Scripted("[RESULT] 3")) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        for component in (Component("openai", "m"), repeated(Component("openai", "m"), 2)):
            session = LLMSession(ResponseCache(Path("replies.sqlite")))
            verdict = grade(make("judge", component, seed=7, session=session), session)
        assert len(server.requests) == 2
    assert verdict.usage is not None
    assert (verdict.attempts, verdict.usage.prompt_tokens, verdict.usage.completion_tokens) == (2, 14, 6)


def test_the_temperature_reaches_every_member(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda request, number: Scripted("[RESULT] 3")) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        component = at_temperature(Component("panel", "openai:m+openai:n+offline"), 0.7)
        session = LLMSession()
        judge = make("judge", component, seed=0, session=session)
        verdict = grade(judge, session)
    assert judge.name == "panel(openai:m@0.7, openai:n@0.7, offline)"
    assert sorted((request["model"], request["temperature"]) for request in server.requests) == [("m", 0.7), ("n", 0.7)]
    offline = OfflineJudge().grade(ASKED, GIVEN)
    assert [drawn.grade for drawn in verdict.draws] == [3, 3, offline.grade]
    assert len(clients(judge)) == 2 and clients(OfflineJudge()) == []
    # One window of requests for all draws of a member.
    twice = make("judge", repeated(component, 2), seed=0, session=session)
    first, second = twice.members[0].draws
    assert first is not second and first.client is second.client
    assert judge_models(component) == ["m", "n"] and judge_models(Component("offline")) == []


def test_repeats_wrap_and_unwrap_a_judge() -> None:
    judge = Component("openai", "m")
    assert repeated(judge, 1) == judge
    assert repeated(judge, 3) == Component("panel", "openai:m", {"repeats": 3})
    assert repeated(repeated(judge, 3), 5) == repeated(judge, 5)
    assert repeated(repeated(judge, 3), 1) == judge
    warm = at_temperature(judge, 0.7)
    assert repeated(warm, 2).options["judges"] == [{"kind": "openai", "model": "m", "temperature": 0.7}]
    assert at_temperature(repeated(judge, 2), 0.7) == repeated(warm, 2)
    panel = Component("panel", "openai:m+offline")
    assert repeated(panel, 1) == Component("panel", "openai:m+offline", {"repeats": 1})
