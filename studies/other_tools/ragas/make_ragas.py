"""Make results with ragas: metrics without a model, one of which fails on purpose for one answer.

In an environment with ragas, rapidfuzz and rouge_score alone (no network, no model): `python make_ragas.py`.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.simplefilter("ignore")

from ragas import EvaluationDataset, evaluate  # type: ignore[import-not-found]  # noqa: E402  # lives in its own environment
from ragas.metrics import ExactMatch, NonLLMStringSimilarity, RougeScore  # type: ignore[import-not-found]  # noqa: E402  # as above

HERE = Path(__file__).resolve().parent
ITEMS = HERE.parent / "items.jsonl"


class Similarity(NonLLMStringSimilarity):  # type: ignore[misc]  # the library is not typed here
    """The library's measure, which fails for one answer as a judge that cannot be reached does."""

    async def _single_turn_ascore(self, sample, callbacks):  # type: ignore[no-untyped-def]
        if sample.response.startswith("Der Kanal") or sample.response == "16 Schleusen":
            raise ConnectionError("no answer after 3 attempts")
        return await super()._single_turn_ascore(sample, callbacks)


def main() -> None:
    """Make the files of both systems anew."""
    items = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    means = {}
    for system in ("long", "short"):
        rows = [
            {
                "user_input": item["question"],
                "retrieved_contexts": [item["context"]],
                "response": item["answers"][system],
                "reference": item["reference"],
            }
            for item in items
        ]
        metrics = [Similarity(), RougeScore(), ExactMatch()]
        result = evaluate(EvaluationDataset.from_list(rows), metrics=metrics, show_progress=False)
        frame = result.to_pandas()
        frame.to_csv(HERE / f"{system}.csv", index=False)
        frame.to_json(HERE / f"{system}.json", orient="records", force_ascii=False, indent=1, double_precision=15)
        # What the library itself reports: means without the answers that failed.
        means[system] = result._repr_dict
    (HERE / "means.json").write_text(json.dumps(means, indent=2) + "\n", encoding="utf-8")
    names = ("ragas", "rapidfuzz", "rouge_score", "pandas")
    versions = {**{name: version(name) for name in names}, "python": sys.version.split()[0]}
    (HERE / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
