"""deepeval: `evaluate` with GEval whose steps are given, so that it makes one call an answer.

Variant `no-cache`: without the file of results that it rewrites after each answer.
"""

from __future__ import annotations

from items import items
from peers.measuring import Judging, Options, measure

STEPS = [
    "Compare the actual output with the expected output fact by fact.",
    "Lower the score for each fact of the expected output that is missing, and more for each that is contradicted.",
    "Do not reward length or style, and grade all languages alike.",
]


def set_up(options: Options) -> Judging:
    """Import the library, build the cases and the metric."""
    from deepeval import evaluate  # type: ignore[import-not-found]  # lives in its own environment
    from deepeval.evaluate import (  # type: ignore[import-not-found]  # as above
        AsyncConfig,
        CacheConfig,
        DisplayConfig,
    )
    from deepeval.metrics import GEval  # type: ignore[import-not-found]  # as above
    from deepeval.models import OpenAIModel  # type: ignore[import-not-found]  # as above
    from deepeval.test_case import LLMTestCase, SingleTurnParams  # type: ignore[import-not-found]  # as above

    # A model that it knows to give log probabilities: an unknown one costs it a second call.
    model = OpenAIModel(model="gpt-4.1-mini", api_key="none", base_url=options.link)
    texts = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT]
    metric = GEval(name="Correctness", evaluation_params=texts, evaluation_steps=STEPS, model=model)
    cases = [
        LLMTestCase(input=item.question, actual_output=item.answer, expected_output=item.reference)
        for item in items(options.n)
    ]

    def grade() -> int:
        result = evaluate(
            cases,
            [metric],
            async_config=AsyncConfig(max_concurrent=options.concurrency),
            display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
            cache_config=CacheConfig(write_cache=options.variant != "no-cache"),
        )
        return sum(data.score == 0.8 for found in result.test_results for data in found.metrics_data)

    return Judging(" ".join(filter(None, ("deepeval", options.variant))), "deepeval", grade)


if __name__ == "__main__":
    measure(set_up)
