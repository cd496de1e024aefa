"""Make samples with lm-eval: its dummy model with two seeds, and recorded answers of two systems.

In an environment with lm-eval alone (no network, no model): `python make_lm_eval.py`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

from lm_eval import simple_evaluate  # type: ignore[import-not-found]  # lives in its own environment
from lm_eval.api.model import LM  # type: ignore[import-not-found]  # as above
from lm_eval.loggers import EvaluationTracker  # type: ignore[import-not-found]  # as above
from lm_eval.models.dummy import DummyLM  # type: ignore[import-not-found]  # as above
from lm_eval.tasks import TaskManager  # type: ignore[import-not-found]  # as above

HERE = Path(__file__).resolve().parent
ITEMS = HERE.parent / "items.jsonl"


class Recorded(LM):  # type: ignore[misc]  # the library is not typed here
    """Answers as the file of items holds them for one system."""

    def __init__(self, system: str) -> None:
        super().__init__()
        rows = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
        self._answers = {row["question"]: row["answers"][system] for row in rows}

    def generate_until(self, requests: list, disable_tqdm: bool = False) -> list[str]:  # type: ignore[type-arg]
        """Return the recorded answers."""
        return [self._answers[request.args[0]] for request in requests]

    def loglikelihood(self, requests: list, disable_tqdm: bool = False) -> list:  # type: ignore[type-arg]
        """Not needed."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def evaluate(model: LM, name: str, task: str, out: Path) -> None:
    """Write the results and samples of a task, as `lm-eval run --log_samples --output_path` does."""
    tracker = EvaluationTracker(output_path=str(out))
    tracker.general_config_tracker.log_experiment_args("local", name, None, None, None)
    manager = TaskManager(include_path=str(out.parent))
    results = simple_evaluate(model=model, tasks=[task], task_manager=manager, log_samples=True, bootstrap_iters=0)
    samples = results.pop("samples")
    # The harness names the model's class here; the tracker knows the system.
    tracker.general_config_tracker.model_name = name
    tracker.general_config_tracker.model_name_sanitized = name
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name=task, samples=samples[task])


def _document(line: str) -> str:
    """Return what the tasks need of an item, as a line; every third item is left out to keep the files small."""
    row = json.loads(line)
    kept = {key: row[key] for key in ("query_id", "lang", "question", "reference", "context")}
    return "" if row["query_id"] == "festival" else json.dumps(kept, ensure_ascii=False) + "\n"


def main() -> None:
    """Make all files anew."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for plan in HERE.glob("*.yaml"):
            shutil.copy(plan, folder)
        Path("items.jsonl").write_text("".join(map(_document, ITEMS.read_text(encoding="utf-8").splitlines())), "utf-8")
        out = Path(folder) / "out"
        for seed in (1, 2):
            random.seed(seed)
            evaluate(DummyLM(), f"dummy-{seed}", "ragaliq_choice", out)
        for system in ("long", "short"):
            evaluate(Recorded(system), system, "ragaliq_answers", out)
        for path in sorted(HERE.glob("*/")):
            shutil.rmtree(path)
        for path in sorted(out.rglob("*.json*")):
            target = HERE / path.relative_to(out)
            target.parent.mkdir(exist_ok=True)
            target.write_text(path.read_text(encoding="utf-8").replace(f"{folder}/", ""), encoding="utf-8")
    versions = {"lm_eval": version("lm_eval"), "datasets": version("datasets"), "python": sys.version.split()[0]}
    (HERE / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
