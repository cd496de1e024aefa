"""Make a test run with DeepEval: a metric without a model, which fails on purpose for one answer.

In an environment with deepeval alone (no network, no key): `python make_deepeval.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from difflib import SequenceMatcher
from importlib.metadata import version
from pathlib import Path

HOME = tempfile.mkdtemp()
os.chdir(HOME)
os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0", "DEEPEVAL_RESULTS_FOLDER": HOME,
    "HOME": HOME,
}  # fmt: skip

from deepeval import evaluate  # type: ignore[import-not-found]  # noqa: E402  # lives in its own environment
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig  # type: ignore[import-not-found]  # noqa: E402  # as above
from deepeval.metrics import BaseMetric, ExactMatchMetric  # type: ignore[import-not-found]  # noqa: E402  # as above
from deepeval.test_case import LLMTestCase  # type: ignore[import-not-found]  # noqa: E402  # as above

HERE = Path(__file__).resolve().parent
ITEMS = HERE.parent / "items.jsonl"


class Similarity(BaseMetric):  # type: ignore[misc]  # the library is not typed here
    """How much of answer and reference is the same text; fails for one answer, as a judge out of reach does."""

    def __init__(self) -> None:
        self.threshold = 0.5
        self.async_mode = False

    def measure(self, test_case: LLMTestCase, *args: object, **kwargs: object) -> float:
        """Return the ratio of equal text."""
        self.error = None
        if test_case.name == "locks/de":
            raise ConnectionError("no answer after 3 attempts")
        self.score = SequenceMatcher(None, test_case.actual_output, test_case.expected_output).ratio()
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *args: object, **kwargs: object) -> float:
        """As `measure`."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Return whether the last answer passed."""
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        return "Similarity"


def main() -> None:
    """Make the test runs of both systems anew."""
    items = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    for system in ("long", "short"):
        cases = [
            LLMTestCase(
                name=f"{item['query_id']}/{item['lang']}",
                input=item["question"],
                actual_output=item["answers"][system],
                expected_output=item["reference"],
                metadata={"query_id": item["query_id"], "lang": item["lang"]},
            )
            for item in items
        ]
        evaluate(
            cases,
            metrics=[Similarity(), ExactMatchMetric()],
            hyperparameters={"model": system},
            async_config=AsyncConfig(run_async=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            error_config=ErrorConfig(ignore_errors=True),
        )
        written = max(Path(HOME).glob("*test_run*"), key=lambda path: path.stat().st_mtime)
        shutil.copy(written, HERE / f"{system}.json")
        written.unlink()
    versions = {"deepeval": version("deepeval"), "python": sys.version.split()[0]}
    (HERE / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
