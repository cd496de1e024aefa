"""A run as logs of inspect_ai in JSON, one for each language; its viewer and its functions read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import nan
from pathlib import Path
from typing import Any

import ragaliq
from ragaliq.aggregate.exported_log import ExportedLog, LoggedAnswer
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.report.exports.files import part_name, write_new
from ragaliq.types import AnswerOutcome, Usage

# Version of the log's layout.
_LAYOUT = 2
_STAGES = ("reader", "retriever", "embedder", "reranker")
_STOPS = {AnswerOutcome.TRUNCATED: "max_tokens", AnswerOutcome.FILTERED: "content_filter"}
# Names and ranges of the scores; the first is the main one.
_SCORERS = {"weight": (0.0, 1.0), "grade": (0.0, 5.0)}


def write_inspect_logs(out: Path, run: RunFigures, logs: Sequence[ExportedLog], graded: datetime) -> list[Path]:
    """Write the log of each language to `out`, and return their paths; equal files may be there already.

    Raises:
        InputError: if a file of another content is there.
    """
    files = {}
    for log in logs:
        value = _log(run, log, graded.isoformat())
        data = _json_bytes(value)
        task = value["eval"]["task"].replace("_", "-")
        # The pattern by which the tool lists its logs: time, task and id.
        files[out / f"{graded:%Y-%m-%dT%H-%M-%S+00-00}_{task}_{_id(data)}.json"] = data
    return write_new(files)


def _log(run: RunFigures, log: ExportedLog, created: str) -> dict[str, Any]:
    usages = [answer.answered.answer.usage for answer in log.answers]
    judged = [answer.verdict.usage for answer in log.answers if answer.verdict is not None]
    stats = {"started_at": created, "completed_at": created}
    return {
        "version": _LAYOUT,
        "status": "success",
        "eval": _spec(run, log, created),
        # Needed to read the header alone.
        "plan": {"name": "ragaliq", "steps": []},
        "results": _results(log),
        "stats": {**stats, "model_usage": _used(_model(run), usages), "role_usage": _used("grader", judged)},
        "samples": [_sample(answer, _model(run)) for answer in log.answers],
    }


def _spec(run: RunFigures, log: ExportedLog, created: str) -> dict[str, Any]:
    data, system, judge = run.config["data"], run.config["system"], run.config.get("judge") or {}
    name = f"{data['name']}_{log.lang}"
    return {
        "eval_id": _id(f"{run.name} {name} {run.data}".encode()),
        "run_id": _id(f"{run.name} {run.data}".encode()),
        "task_id": _id(name.encode()),
        "created": created,
        "task": name,
        "task_version": data["version"],
        "task_args": {"lang": log.lang},
        "dataset": {
            "name": f"{data['name']} {data['version']} {data['hash'][:12]}",
            "samples": log.aggregates.n_expected,
            "sample_ids": [answer.answered.item.query.query_id for answer in log.answers],
        },
        "model": _model(run),
        "model_roles": {"grader": {"model": log.judge}} if log.judge else None,
        "config": {"epochs": 1},
        "packages": {"ragaliq": ragaliq.__version__},
        "scorers": [
            {"name": scorer, "options": {}, "metrics": [{"name": "mean"}], "metadata": {"low": low, "high": high}}
            for scorer, (low, high) in _SCORERS.items()
        ],
        "metadata": {
            "run": run.name,
            "judge": log.judge,
            "judge_prompt": judge.get("prompt_hash") or "",
            "data_hash": data["hash"],
            **{stage: part_name(system, stage) for stage in _STAGES},
        },
    }


def _results(log: ExportedLog) -> dict[str, Any]:
    values = log.aggregates
    figures = {
        "weight": {"mean": values.mean_weight, "weighted_score": values.weighted_score},
        "grade": {"mean": values.mean_with_zeros},
    }
    scored = {"scored_samples": len(log.graded), "unscored_samples": len(log.answers) - len(log.graded)}
    return {
        "total_samples": log.aggregates.n_expected,
        "completed_samples": sum(not answer.answered.answer.failed for answer in log.answers),
        "scores": [
            {
                "name": scorer,
                "scorer": scorer,
                **scored,
                "metrics": {name: {"name": name, "value": value} for name, value in of.items() if value is not None},
            }
            for scorer, of in figures.items()
        ],
        "headline": {"scorer": "weight", "score": "weight", "metric": "mean"},
    }


def _sample(logged: LoggedAnswer, model: str) -> dict[str, Any]:
    item, answer = logged.answered.item, logged.answered.answer
    reply = {"role": "assistant", "content": answer.text, "source": "generate", "model": model}
    usage = None if answer.usage is None else _tokens(answer.usage)
    failed = answer.outcome is AnswerOutcome.ERROR
    return {
        "id": item.query.query_id,
        "epoch": 1,
        "input": item.query.text,
        "target": [item.reference, *item.aliases] if item.aliases else item.reference,
        "messages": [{"role": "user", "content": item.query.text, "source": "input"}, reply],
        "output": {
            "model": model,
            "choices": [{"message": reply, "stop_reason": _STOPS.get(answer.outcome, "unknown" if failed else "stop")}],
            "completion": answer.text,
            "usage": usage,
            "time": logged.seconds,
        },
        "scores": _scores(logged),
        "metadata": {
            "lang": item.query.lang,
            "outcome": str(answer.outcome),
            "context": [{"doc_id": hit.chunk.doc_id, "text": hit.chunk.text} for hit in answer.context],
        },
        "model_usage": {} if usage is None else {model: usage},
        "total_time": logged.seconds,
        "working_time": logged.seconds,
        "error": {"message": answer.error or "no answer", "traceback": "", "traceback_ansi": ""} if failed else None,
    }


def _scores(logged: LoggedAnswer) -> dict[str, Any]:
    """Return both scores; NaN is the tool's sign for a sample without a score, which its metrics leave out."""
    verdict, grade = logged.verdict, logged.grade
    values = {"weight": nan if grade is None else WEIGHTS[grade], "grade": nan if grade is None else grade}
    outcome = "no_verdict" if verdict is None else str(verdict.outcome)
    more = {
        "answer": logged.answered.answer.text,
        "explanation": (verdict.feedback if verdict else "") or outcome,
        "reason": outcome if grade is None else None,
        "metadata": {"outcome": outcome, "attempts": verdict.attempts if verdict else 0},
    }
    return {scorer: {"value": value, **more} for scorer, value in values.items()}


def _model(run: RunFigures) -> str:
    """Return the system's name; that of its reader alone would join systems with different retrieval."""
    return f"ragaliq/{run.name}"


def _used(name: str, usages: Iterable[Usage | None]) -> dict[str, Mapping[str, int]]:
    known = [usage for usage in usages if usage is not None]
    total = Usage(sum(usage.prompt_tokens for usage in known), sum(usage.completion_tokens for usage in known))
    return {name: _tokens(total)} if known else {}


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


def _id(data: bytes) -> str:
    """Return an id of the length of the tool's, from what it names."""
    return hashlib.sha256(data).hexdigest()[:22]


def _json_bytes(value: Any) -> bytes:
    # With NaN, as the tool writes it. Half a surrogate pair, which its reader refuses, becomes a question mark.
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
