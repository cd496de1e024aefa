"""ragas: `evaluate` with RubricsScore; its result prints the mean of the column without the NaNs."""

from __future__ import annotations

import logging
import math
import warnings

from fault_peers.telling import Options, Said, mean, tell
from items import items
from peers.ragas import RUBRICS


class _Errors(logging.Handler):
    """Counts what the executor logs of jobs that raised."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "Exception raised in Job" in record.getMessage()


def grade(options: Options) -> Said:
    """Grade all answers."""
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
    llm = llm_factory("m", client=AsyncOpenAI(api_key="none", base_url=options.link))
    config = RunConfig(max_workers=options.concurrency)
    if options.timeout_s:
        config = RunConfig(max_workers=options.concurrency, timeout=options.timeout_s)
    errors = _Errors()
    logging.getLogger("ragas").addHandler(errors)
    result = evaluate(
        EvaluationDataset.from_list(rows),
        metrics=[RubricsScore(rubrics=RUBRICS, llm=llm)],
        run_config=config,
        show_progress=False,
    )
    frame = dict(enumerate(result["domain_specific_rubrics"]))
    scores = {number: float(score) for number, score in frame.items() if not math.isnan(score)}
    failed = {number: "" for number in frame if number not in scores}
    return Said(scores, failed, mean(scores), repr(result), logged=errors.count)


if __name__ == "__main__":
    tell(grade)
