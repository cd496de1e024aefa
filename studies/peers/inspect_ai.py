"""inspect_ai: a task whose answers are given, scored by model_graded_qa.

Variant `no-realtime`: without the log that can be watched while the task runs.
"""

from __future__ import annotations

import os
from typing import Any

from items import items
from peers.measuring import Judging, Options, measure


def set_up(options: Options) -> Judging:
    """Import the library and build the task."""
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
        Sample(id=item.query_id, input=item.question, target=item.reference, metadata={"answer": item.answer})
        for item in items(options.n)
    ]
    task = Task(dataset=MemoryDataset(samples), solver=given_answer(), scorer=model_graded_qa())

    def grade() -> int:
        (log,) = eval(
            task,
            model="openai/m",
            model_base_url=options.link,
            model_args={"responses_api": False},
            display="none",
            max_connections=options.concurrency,
            log_realtime=False if options.variant == "no-realtime" else None,
        )
        return sum((sample.scores or {})["model_graded_qa"].value == "C" for sample in log.samples)

    return Judging(" ".join(filter(None, ("inspect_ai", options.variant))), "inspect-ai", grade)


if __name__ == "__main__":
    measure(set_up)
