"""The judge with a model on this machine, on tiny models that write a fixed text or nonsense."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import KeptTraces, between_fences, item
from models import parrot_llama, tiny_llama
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, Stopped
from ragaliq.judge.openai import OpenAIJudge
from ragaliq.judge.panel import judge_models, repeated
from ragaliq.judge.transformers import TransformersJudge
from ragaliq.llm import LLMSession
from ragaliq.types import Answer, AnswerOutcome, Refusal, Verdict, VerdictOutcome

pytestmark = pytest.mark.hf
ASKED = item("Wann öffnet die Kantine?", "Um 7:30 Uhr.", "de")
GIVEN = Answer(ASKED.query, "Um 8 Uhr.", AnswerOutcome.ANSWERED, ())
SOUND = ("Feedback: Die Uhrzeit fehlt.", " [REFUSES] partial", " [RESULT]", " 3")
Parrot = Callable[..., str]


@pytest.fixture(scope="module")
def parrot(tmp_path_factory: pytest.TempPathFactory) -> Parrot:
    def made(says: Sequence[str], **options: Any) -> str:
        return parrot_llama(tmp_path_factory.mktemp("parrot"), says, **options)

    return made


def grade(judge: Any) -> Verdict:
    verdict: Verdict = asyncio.run(judge.grade(ASKED, GIVEN))
    return verdict


def test_a_reply_is_read_as_one_from_an_endpoint(parrot: Parrot) -> None:
    model = parrot(SOUND, doubt=(" 2", 0.25))
    verdict = grade(TransformersJudge(model, device="cpu"))
    assert (verdict.grade, verdict.outcome, verdict.refuses) == (3, VerdictOutcome.SCORED, Refusal.PARTIAL)
    assert (verdict.feedback, verdict.judge, verdict.attempts) == ("Die Uhrzeit fehlt.", f"transformers:{model}", 1)
    # 3 * .75 + 2 * .25
    assert (verdict.expected_grade, verdict.confidence) == (2.75, 0.75)
    assert verdict.usage is not None and verdict.usage.completion_tokens == len(SOUND) + 1


def test_a_thought_is_no_judgement(parrot: Parrot) -> None:
    verdict = grade(TransformersJudge(parrot(("<think>", "Oder [RESULT] 5?", "</think>", *SOUND)), device="cpu"))
    assert (verdict.grade, verdict.reasoning) == (3, "Oder [RESULT] 5?")
    assert verdict.confidence is not None
    cut = grade(TransformersJudge(parrot(("<think>", "Oder [RESULT] 5?")), device="cpu"))
    assert (cut.outcome, cut.reasoning) == (VerdictOutcome.TRUNCATED, "Oder [RESULT] 5?")


def test_it_is_asked_what_an_endpoint_is_asked(parrot: Parrot) -> None:
    session = LLMSession(planned=True)
    here, there = TransformersJudge(parrot(SOUND), session=session), OpenAIJudge("m", session=session)
    assert here.request(ASKED, GIVEN) == there.request(ASKED, GIVEN)
    assert here.prompt_hash == there.prompt_hash


def test_every_outcome_is_typed(parrot: Parrot, tmp_path: Path) -> None:
    cases: dict[str, tuple[str, VerdictOutcome, str]] = {
        "no form": (parrot(["Eher eine Drei."]), VerdictOutcome.UNPARSEABLE, "Eher eine Drei."),
        "off the rubric": (parrot(["[RESULT] 7"]), VerdictOutcome.UNPARSEABLE, "[RESULT] 7"),
        "nothing": (parrot([]), VerdictOutcome.UNPARSEABLE, ""),
        "too long": (tiny_llama(tmp_path / "narrow", max_length=64), VerdictOutcome.API_ERROR, "context_length: "),
    }
    for name, (model, outcome, feedback) in cases.items():
        verdict = grade(TransformersJudge(model, device="cpu"))
        assert (verdict.grade, verdict.outcome) == (None, outcome), name
        assert verdict.feedback.startswith(feedback), name
        assert (verdict.refuses, verdict.confidence) == (None, None), name


@pytest.mark.slow
def test_a_reply_that_does_not_end_is_cut(tmp_path: Path) -> None:
    verdict = grade(TransformersJudge(tiny_llama(tmp_path / "m", max_length=8192), device="cpu"))
    assert (verdict.grade, verdict.outcome) == (None, VerdictOutcome.TRUNCATED)
    assert verdict.usage is not None and verdict.usage.completion_tokens == 1024


def test_a_form_is_asked_for_once_and_each_turn_is_traced(parrot: Parrot) -> None:
    session = LLMSession()
    session.traces = traces = KeptTraces()
    model = parrot(["Eher eine Drei."])
    verdict = grade(TransformersJudge(model, device="cpu", session=session))
    assert verdict.attempts == 2
    assert [(t.component, t.model, t.lang, t.query_id, t.turn) for t in traces] == [
        ("judge", model, "de", "q1", 1),
        ("judge", model, "de", "q1", 2),
    ]
    assert {t.raw_reply for t in traces} == {"Eher eine Drei."} and {t.prompt_hash for t in traces} == {
        verdict.prompt_hash
    }
    usages = [t.usage for t in traces if t.usage is not None]
    assert verdict.usage is not None
    assert verdict.usage.prompt_tokens == sum(usage.prompt_tokens for usage in usages)


def test_draws_share_one_model_and_differ_by_their_fence(parrot: Parrot, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    loads: list[str] = []
    real = transformers.AutoModelForCausalLM.from_pretrained

    def counted(*args: Any, **options: Any) -> Any:
        loads.append(args[0])
        return real(*args, **options)

    model = parrot(SOUND)
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", counted)
    component = repeated(Component("transformers", model, {"device": "cpu"}), 2)
    judge = make("judge", component, seed=0, session=LLMSession())
    verdict = grade(judge)
    assert [draw.grade for draw in verdict.draws] == [3, 3] and verdict.refuses is Refusal.PARTIAL
    assert loads == [model]
    prompts = [draw.request(ASKED, GIVEN).messages[1]["content"] for draw in judge.members[0].draws]
    assert prompts[0] != prompts[1]
    assert {between_fences(prompt, "ANSWER TO GRADE") for prompt in prompts} == {"Um 8 Uhr."}
    assert judge_models(component) == [model]


def test_what_cannot_be_loaded_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="judge 'transformers': name its model"):
        TransformersJudge("")
    with pytest.raises(ConfigError, match="unknown dtype 'float8'"):
        TransformersJudge("m", dtype="float8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="cannot be loaded"):
        grade(TransformersJudge(str(tmp_path / "empty")))


def test_a_plan_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.local.causal.engine.find_spec", lambda name: None)
    assert TransformersJudge("m", session=LLMSession(planned=True)).name == "transformers:m"
    with pytest.raises(ConfigError, match=r"judge 'transformers:m': needs torch: pip install torch"):
        TransformersJudge("m")


def test_a_stop_comes_before_the_next_reply(parrot: Parrot) -> None:
    session = LLMSession()
    session.signal.ask("enough")
    with pytest.raises(Stopped, match="enough"):
        grade(TransformersJudge(parrot(SOUND), session=session))
