"""inspect_ai: answers that are given, scored by model_graded_qa; its log holds the accuracy.

Variant `tolerant`: at most 3 retries of a call instead of retries without end, and samples that fail do not end the
evaluation.
"""

from __future__ import annotations

import json
import os
from typing import Any

from fault_peers.telling import Options, Said, tell
from items import items


def grade(options: Options) -> Said:
    """Grade all answers."""
    os.environ["OPENAI_API_KEY"] = "none"
    from inspect_ai import Task, eval  # lives in its own environment
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import solver

    @solver  # type: ignore[untyped-decorator]
    def given_answer() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("given", state.metadata["answer"])
            return state

        return solve

    samples = [
        Sample(id=number, input=item.question, target=item.reference, metadata={"answer": item.answer})
        for number, item in enumerate(items(options.n), start=1)
    ]
    more: dict[str, Any] = {"attempt_timeout": options.timeout_s} if options.timeout_s else {}
    if options.variant == "tolerant":
        more |= {"max_retries": 3, "fail_on_error": False}
    (log,) = eval(
        Task(dataset=MemoryDataset(samples), solver=given_answer(), scorer=model_graded_qa()),
        model="openai/m",
        model_base_url=options.link,
        model_args={"responses_api": False},
        display="none",
        max_connections=options.concurrency,
        **more,
    )
    return _said(log)


def _said(log: Any) -> Said:
    scores: dict[int, float] = {}
    failed: dict[int, str] = {}
    for sample in log.samples or []:
        score = (sample.scores or {}).get("model_graded_qa")
        if score is not None and score.value in ("C", "I"):
            scores[sample.id - 1] = float(score.value == "C")
        elif score is not None:
            failed[sample.id - 1] = str(score.reason or score.explanation or "")
        else:
            failed[sample.id - 1] = sample.error.message if sample.error else ""
    found = log.results.scores[0] if log.results and log.results.scores else None
    accuracy = found.metrics["accuracy"].value if found else None
    counts = {"scored_samples": found.scored_samples, "unscored_samples": found.unscored_samples} if found else {}
    totals = {name: getattr(log.results, name) for name in ("total_samples", "completed_samples")} if found else {}
    summary = json.dumps({"status": log.status, "accuracy": accuracy, **totals, **counts})
    return Said(scores, failed, accuracy, summary, log.status)


if __name__ == "__main__":
    tell(grade)
