"""deepeval: `evaluate` with GEval whose steps are given; the mean is that of the results that have a score.

Variant `ignore_errors`: a case that raises is an error in its result, and does not end the evaluation.
"""

from __future__ import annotations

import os

from fault_peers.telling import Options, Said, mean, tell
from items import items
from peers.deepeval import STEPS


def grade(options: Options) -> Said:
    """Grade all answers."""
    if options.timeout_s:
        os.environ["DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE"] = str(options.timeout_s)
    from deepeval import evaluate  # type: ignore[import-not-found]  # lives in its own environment
    from deepeval.evaluate import (  # type: ignore[import-not-found]  # as above
        AsyncConfig,
        DisplayConfig,
        ErrorConfig,
    )
    from deepeval.metrics import GEval  # type: ignore[import-not-found]  # as above
    from deepeval.models import OpenAIModel  # type: ignore[import-not-found]  # as above
    from deepeval.test_case import LLMTestCase, SingleTurnParams  # type: ignore[import-not-found]  # as above

    # A model that it knows to give log probabilities: an unknown one costs it a second call.
    model = OpenAIModel(model="gpt-4.1-mini", api_key="none", base_url=options.link)
    texts = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT]
    cases = [
        LLMTestCase(name=str(number), input=item.question, actual_output=item.answer, expected_output=item.reference)
        for number, item in enumerate(items(options.n))
    ]
    result = evaluate(
        cases,
        [GEval(name="Correctness", evaluation_params=texts, evaluation_steps=STEPS, model=model)],
        async_config=AsyncConfig(max_concurrent=options.concurrency),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        error_config=ErrorConfig(ignore_errors=options.variant == "ignore_errors"),
    )
    found = {int(test.name): data for test in result.test_results for data in test.metrics_data or []}
    scores = {number: data.score for number, data in found.items() if data.score is not None}
    failed = {number: data.error or "" for number, data in found.items() if data.score is None}
    passed = sum(bool(data.success) for data in found.values())
    average = mean(scores)
    shown = "N/A" if average is None else f"{average:.2f}"
    return Said(scores, failed, average, f"Average Score {shown}, passed={passed}, total {len(found)}")


if __name__ == "__main__":
    tell(grade)
