from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, ChangedBackend
from ragaliq.build.model.ask import Unreadable, ask
from ragaliq.build.stages.closed_book import assign
from ragaliq.llm import CallFailed, FaultKind, LLMSession, Reply, Request
from ragaliq.types import Importance, Nugget, Query
from small_build import build, rows


def number(value: Any) -> int:
    if type(value.get("n")) is not int:
        raise Unreadable("'n' must be a number", "no number" if "n" in value else "")
    return int(value["n"])


def asked(*replies: Reply | CallFailed | str) -> tuple[Any, CannedModel]:
    model = CannedModel(list(replies))
    request = Request([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}])
    return asyncio.run(ask(model, request, number)), model


def keys(model: CannedModel) -> tuple[str, ...]:
    return tuple(map(model.key, model.requests))


def test_a_reply_is_read_once() -> None:
    answer, model = asked('```json\n{"n": 4}\n```')
    assert (answer.value, answer.failure, answer.reason, answer.traces) == (4, "", "", keys(model))
    assert model.accepted and len(model.requests) == 1


def test_thoughts_before_the_object_are_passed_over() -> None:
    for said in (
        '<think>\nPerhaps {"n": 5}?\n</think>\n\n{"n": 4}',
        'I see.</think>```json\n{"n": 4}\n```',
        '<thinking></thinking>{"n": 4, "why": "</think>{\\"n\\": 5}"}',
        '{"n": 4, "why": "</think>{\\"n\\": 5}"}',
    ):
        answer, model = asked(said)
        assert (answer.value, len(model.requests)) == (4, 1), said
    for said in ('<think>{"n": 5}', '<think>a</think>b</think>{"n": 5}', '<think>a</think>{"n": 5}{"n": 6}'):
        assert asked(said, '{"n": 4}')[0].value == 4, said


def test_an_unreadable_reply_is_asked_for_once_more_with_what_is_wrong() -> None:
    answer, model = asked('{"n": "4"}', '{"n": 4}')
    assert (answer.value, answer.traces) == (4, keys(model))
    said = model.requests[1].messages
    assert [message["role"] for message in said] == ["system", "user", "assistant", "user"]
    assert said[2]["content"] == '{"n": "4"}' and "'n' must be a number" in said[3]["content"]


def test_what_stays_unreadable_is_given_up_with_its_reason() -> None:
    answer, model = asked("four", '{"n": 4.5}')
    assert (answer.value, answer.failure, answer.reason, len(model.requests)) == (None, "unreadable", "no number", 2)
    assert not model.accepted
    answer, _ = asked("four", "{}")
    assert (answer.reason, answer.detail) == ("failed", "'n' must be a number")


def test_what_was_refused_or_cut_off_or_never_came_is_not_asked_for_again() -> None:
    cases: list[tuple[Reply | CallFailed, str]] = [
        (Reply('{"n": 4}', refused=True), "refused"),
        (Reply('{"n": 4}', finish_reason="length"), "truncated"),
        (Reply('{"n": 4}', finish_reason="content_filter"), "filtered"),
        (CallFailed(FaultKind.SERVER, "HTTP 500", 5), "api_error"),
        (CallFailed(FaultKind.TIMEOUT, "too late", 2), "api_error"),
        (Reply("  "), "unreadable"),
    ]
    for reply, failure in cases:
        answer, model = asked(reply)
        assert (answer.value, answer.failure, answer.reason) == (None, failure, "failed")
        assert answer.traces == keys(model) and len(model.requests) == 1


def test_details_hold_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "sk-canary-0123456789")
    answer, _ = asked(Reply("the token sk-canary-0123456789 is wrong", refused=True))
    assert answer.detail == "the token *** is wrong"


# UMBRELA's parser took the first number that looked like one; what holds a grade here is one JSON object, or nothing.
FORMS: list[Callable[[str], str]] = [
    lambda said: f"On the scale of 1 to 5: {said}",
    lambda said: f"{said}\nSo 5 would be too high.",
    lambda said: f"{said}\n{said}",
    lambda said: f"```json\n{said}\n```\n```json\n{said}\n```",
    lambda said: f"[{said}]",
    lambda said: said[:-1],
    lambda said: json.dumps(said),
    lambda said: "##final score: 5",
    lambda said: "",
]
SCORES = ["4/5", "4.5", 4.5, 5.0, True, "５", "٥", "5", "five", 0, 6, 98, -5, None, [5], {"score": 5}]


def failing(bench: Path, source: Path, stage: str, change: Callable[[str], str]) -> tuple[int, int, ChangedBackend]:
    """Run a stage anew with changed replies; return its rows, how many failed, and who was asked."""
    task = {"critique": "critique", "nuggets": "nuggets"}[stage]
    backend = ChangedBackend(change=lambda one, said, before: change(said) if one == task else said)
    for path in source.joinpath("build").glob("*.jsonl"):
        shutil.copy(path, bench / "build" / path.name)
    shutil.copy(source / "build" / "state.json", bench / "build" / "state.json")
    (bench / "build" / f"{stage}.jsonl").unlink()
    failed = build(bench, stage, backend, LLMSession(traced=False))
    return len(rows(bench, stage)), failed, backend


def rescored(said: str, score: Any) -> str:
    return json.dumps(json.loads(said) | {"usefulness": {"reason": "scores go from 1 to 5", "score": score}})


@pytest.mark.slow
def test_what_is_no_score_never_becomes_one(built: Path, small_build: Path) -> None:
    changes = FORMS + [lambda said, score=score: rescored(said, score) for score in SCORES]
    changes.append(lambda said: said.replace('"score": 5', '"score": 5, "score": 1', 1))
    changes.append(lambda said: said.replace('"usefulness"', '"usefullness"'))
    changes.append(lambda said: said.replace('"score": 5', '"score": ５'))
    for place, change in enumerate(changes):
        n_rows, n_failed, _ = failing(built, small_build, "critique", change)
        assert n_rows == n_failed == 12, place
        assert all(row["reason"] == "failed" and row["rounds"] == [] for row in rows(built, "critique"))


def test_forms_that_leave_no_doubt_are_read(built: Path, small_build: Path) -> None:
    for change in (
        lambda said: f"```json\n{said}\n```",
        lambda said: f"\n ```\n{said}\n```  \n",
        lambda said: f"\ufeff{said}",
        lambda said: json.dumps(dict(reversed(json.loads(said).items())), indent=2),
        lambda said: said.replace('"score": 5', '"score": 5, "score": 5'),
    ):
        n_rows, n_failed, backend = failing(built, small_build, "critique", change)
        assert (n_rows, n_failed, backend.n_asked("critique")) == (12, 0, 12)
        assert rows(built, "critique") == rows(small_build, "critique")


def test_what_is_no_nugget_never_becomes_one(built: Path, small_build: Path) -> None:
    def with_first(**changes: Any) -> Callable[[str], str]:
        def change(said: str) -> str:
            first, *rest = json.loads(said)["nuggets"]
            return json.dumps({"nuggets": [first | changes, *rest]})

        return change

    def none_vital(said: str) -> str:
        return said.replace('"vital"', '"okay"')

    for change in (
        with_first(importance="Vital"),
        with_first(importance="vital or okay"),
        with_first(importance=None),
        with_first(text=" "),
        with_first(text=5),
        with_first(quote="nowhere in the answer"),
        with_first(quote=""),
        none_vital,
        lambda said: '{"nuggets": []}',
        lambda said: json.dumps({"nuggets": json.loads(said)["nuggets"] * 13}),
    ):
        n_rows, n_failed, _ = failing(built, small_build, "nuggets", change)
        assert n_rows == n_failed == 12
        assert all(row["nuggets"] == [] for row in rows(built, "nuggets"))


def test_what_is_no_label_never_becomes_one() -> None:
    listed = [Nugget(f"n{n}", "q", "de", f"Satz {n}.", Importance.VITAL, ()) for n in (1, 2)]
    good = [{"nugget": 1, "reason": "", "label": "support"}, {"nugget": 2, "reason": "", "label": "not_support"}]

    def labels(entries: Any) -> list[str] | None:
        said = json.dumps({"nuggets": entries})
        return asyncio.run(assign(CannedModel([said]), Query("q", "de", "Was?"), "Satz 1.", listed)).value

    assert labels(good) == ["support", "not_support"]
    for label in ("Support", "supported", "support.", "support or not_support", "支持", "", None, True, 1, ["support"]):
        assert labels([good[0] | {"label": label}, good[1]]) is None
    for entries in (
        good[:1], good[::-1], [*good, good[1]], [good[0], good[0]], [good[0] | {"nugget": True}, good[1]],
        [good[0] | {"nugget": "1"}, good[1]], [good[0] | {"nugget": 1.0}, good[1]], ["support", "not_support"], None,
    ):  # fmt: skip
        assert labels(entries) is None
