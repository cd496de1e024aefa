from __future__ import annotations

import pytest

from ragaliq.aggregate.items.judge_calls import is_call_of
from ragaliq.types import JudgeVote, Verdict, VerdictOutcome


def verdict(judge: str, *draws: str) -> Verdict:
    votes = tuple(JudgeVote(name, 3, VerdictOutcome.SCORED) for name in draws)
    return Verdict("q1", "en", 3, VerdictOutcome.SCORED, "", judge, "of a panel" if draws else "p", draws=votes)


@pytest.mark.parametrize(
    ("judged", "models"),
    [
        (verdict("openai:gpt"), ["gpt"]),
        (verdict("openai:gpt@0.5"), ["gpt"]),
        (verdict("openai:gpt-mini+0a1b2c"), ["gpt-mini"]),
        (verdict("transformers:org/tiny@main"), ["org/tiny"]),
        (verdict("panel(openai:gpt, offline)", "openai:gpt", "offline"), ["gpt"]),
        (verdict("openai:gpt@0.5 x2", "openai:gpt@0.5", "openai:gpt@0.5"), ["gpt"]),
        # One's own judge: its name names no model.
        (verdict("mine"), ["gpt", "gpt-mini", "org/tiny"]),
    ],
)
def test_calls_go_with_the_verdict_of_their_judge(judged: Verdict, models: list[str]) -> None:
    rows = [{"component": "judge", "model": model, "prompt_hash": "p"} for model in ("gpt", "gpt-mini", "org/tiny")]
    assert [row["model"] for row in rows if is_call_of(row, judged)] == models
    others = [{**row, "prompt_hash": "of other prompts"} for row in rows]
    assert bool(judged.draws) is any(is_call_of(row, judged) for row in others)
