"""Makes the logs of this folder with inspect_ai itself: two models with fixed outputs, one task, no network.

    pip install inspect_ai==0.3.285
    python make_logs.py        # writes *.eval, first.json, expected.json and versions.json beside itself

15 samples in six languages, two epochs, three scorers (letters C and I, numbers, a dictionary), one sample that raises
in one model, one that a scorer leaves without a score. The third log is of a task that stopped at that error.
`expected.json` holds what inspect reads back, and its metrics.
"""

from __future__ import annotations

import json
import math
import platform
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task, eval, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

HERE = Path(__file__).resolve().parent
FACTS = (
    ("en", "What is the capital of France?", "Paris"),
    ("en", "How many legs does a spider have?", "8"),
    ("en", "Which planet is closest to the sun?", "Mercury"),
    ("de", "Wie heißt die Hauptstadt von Frankreich?", "Paris"),
    ("de", "Wie viele Beine hat eine Spinne?", "8"),
    ("de", "Welcher Planet ist der Sonne am nächsten?", "Merkur"),
    ("fr", "Combien de pattes a une araignée ?", "8"),
    ("fr", "Quelle est la capitale de la France ?", "Paris"),
    ("es", "¿Cuántas patas tiene una araña?", "8"),
    ("es", "¿Cuál es la capital de Francia?", "París"),
    ("ru", "Сколько ног у паука?", "8"),
    ("ru", "Какой город — столица Франции?", "Париж"),
    ("zh", "蜘蛛有几条腿?", "8"),
    ("zh", "法国的首都是哪里?", "巴黎"),
    ("zh", "离太阳最近的行星是哪颗?", "水星"),
)
FAILS, UNSCORED = 4, 8


def outputs(wrong: set[int]) -> list[ModelOutput]:
    """The replies of a model, in the order of samples and epochs; in the second epoch one more is wrong."""
    replies = []
    for epoch in (1, 2):
        for number, (_, _, answer) in enumerate(FACTS):
            bad = number in wrong or (epoch == 2 and number == 2)
            reply = ModelOutput.from_content("example/facts", "?" if bad else answer)
            # Without usage the library would fetch a tokenizer.
            reply.usage = ModelUsage(input_tokens=20 + number, output_tokens=2, total_tokens=22 + number)
            replies.append(reply)
    return replies


@scorer(metrics=[mean(), stderr()])
def length_ratio() -> Scorer:
    """Length of the shorter of answer and target over that of the longer; one sample is left without a score."""

    async def score(state: TaskState, target: Target) -> Score:
        if state.metadata["number"] == UNSCORED:
            return Score.unscored(reason="grader_failed", explanation="the grader's reply held no grade")
        a, b = len(state.output.completion), len(target.text)
        return Score(value=min(a, b) / max(a, b), answer=state.output.completion)

    return score


@scorer(metrics={"exact": [mean()], "nonempty": [mean()]})
def parts() -> Scorer:
    """Two values in one score."""

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        return Score(value={"exact": text == target.text, "nonempty": 1 if text else 0})

    return score


@solver
def failing(fails: bool) -> Solver:
    """Raises at one sample, as a tool that breaks would."""

    async def solve(state: TaskState, _: Generate) -> TaskState:
        if fails and state.metadata["number"] == FAILS and state.epoch == 1:
            raise RuntimeError("the search index is gone")
        return state

    return solve


@task
def facts(fails: bool) -> Task:
    """The task."""
    samples = [
        Sample(id=f"{lang}-{number}", input=text, target=answer, metadata={"lang": lang, "number": number})
        for number, (lang, text, answer) in enumerate(FACTS)
    ]
    return Task(
        dataset=MemoryDataset(samples, name="facts"),
        solver=[generate(), failing(fails)],
        scorer=[match(location="exact"), length_ratio(), parts()],
        epochs=2,
    )


def main() -> None:
    """Write the logs and what inspect says of them."""
    expected: dict[str, Any] = {}
    with TemporaryDirectory() as folder:
        for name, wrong, fails in (("first", {1}, True), ("second", {1, 3, 6, 9}, False), ("crashed", set(), True)):
            model = get_model(f"mockllm/{name}", custom_outputs=outputs(wrong), memoize=False)
            options = {
                "max_samples": 1,
                "max_connections": 1,
                "log_realtime": False,
                "fail_on_error": name == "crashed",
            }
            log = eval(facts(fails), model=model, log_dir=folder, display="none", score_display=False, **options)[0]
            write_eval_log(stripped(log.location), str(HERE / f"{name}.eval"))
            expected[name] = described(HERE / f"{name}.eval")
        as_json = Path(folder) / "first.json"
        write_eval_log(read_eval_log(str(HERE / "first.eval")), str(as_json))
        # Without its blanks, which are a third.
        (HERE / "first.json").write_text(
            json.dumps(json.loads(as_json.read_text("utf-8")), ensure_ascii=False), "utf-8"
        )
    dump("expected.json", expected)
    packages = ("inspect_ai", "zstandard", "pydantic")
    dump("versions.json", {"python": platform.python_version(), **{name: version(name) for name in packages}})


def stripped(location: str) -> EvalLog:
    """The log without what names this machine (paths, tracebacks, the checkout), and without events and arguments."""
    log = read_eval_log(location)
    log.eval.revision = log.eval.task_file = None
    log.eval.model_args = {}
    if log.error:
        log.error.traceback = log.error.traceback_ansi = ""
    for sample in log.samples or []:
        sample.events, sample.events_data, sample.attachments = [], None, {}
        if sample.error:
            sample.error.traceback = sample.error.traceback_ansi = ""
    return log


def described(path: Path) -> dict[str, Any]:
    """What inspect reads from a log: each sample's values as numbers, null where unscored, and its metrics."""
    from inspect_ai.scorer import value_to_float

    log = read_eval_log(str(path))
    number = value_to_float()
    samples = {}
    for sample in log.samples or []:
        values: dict[str, float | None] = {}
        for name, score in (sample.scores or {}).items():
            for key, value in score.value.items() if isinstance(score.value, dict) else [("", score.value)]:
                figure = number(value)
                values[f"{name}/{key}" if key else name] = None if math.isnan(figure) else figure
        samples[f"{sample.id} {sample.epoch}"] = {"values": values, "error": sample.error and sample.error.message}
    metrics = {
        f"{score.name}/{metric.name}": {
            "value": metric.value,
            "n": score.scored_samples,
            "lost": score.unscored_samples,
        }
        for score in (log.results.scores if log.results else ())
        for metric in score.metrics.values()
    }
    return {"status": log.status, "samples": samples, "metrics": metrics}


def dump(name: str, value: object) -> None:
    """Write one JSON file beside this script."""
    (HERE / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
