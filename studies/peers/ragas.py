"""ragas: `evaluate` with RubricsScore, its executor with as many workers as calls are wanted under way."""

from __future__ import annotations

import warnings

from items import items
from peers.measuring import Judging, Options, measure

RUBRICS = {
    "score1_description": "The answer is wrong, or it has nothing to do with the reference.",
    "score2_description": "The answer touches the subject of the reference, but its main point is missing or wrong.",
    "score3_description": "The answer holds the main point of the reference, but much of the detail is missing.",
    "score4_description": "The answer is right in the main point; a minor detail of the reference is missing.",
    "score5_description": "Everything that the reference says is in the answer, and nothing contradicts it.",
}


def set_up(options: Options) -> Judging:
    """Import the library, build the dataset and the metric."""
    warnings.simplefilter("ignore")
    from openai import AsyncOpenAI
    from ragas import (  # type: ignore[import-not-found]  # lives in its own environment
        EvaluationDataset,
        RunConfig,
        evaluate,
    )
    from ragas.llms import llm_factory  # type: ignore[import-not-found]  # as above
    from ragas.metrics import RubricsScore  # type: ignore[import-not-found]  # as above

    rows = [
        {"user_input": item.question, "response": item.answer, "reference": item.reference} for item in items(options.n)
    ]
    dataset = EvaluationDataset.from_list(rows)
    llm = llm_factory("m", client=AsyncOpenAI(api_key="none", base_url=options.link))
    metric = RubricsScore(rubrics=RUBRICS, llm=llm)
    config = RunConfig(max_workers=options.concurrency)

    def grade() -> int:
        result = evaluate(dataset, metrics=[metric], run_config=config, show_progress=False)
        return sum(score == 4 for score in result["domain_specific_rubrics"])

    return Judging("ragas", "ragas", grade)


if __name__ == "__main__":
    measure(set_up)
