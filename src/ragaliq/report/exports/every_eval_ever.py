"""A run in the schema of Every Eval Ever 0.3: `data/BENCHMARK/ragaliq/RUN/UUID.json` and `UUID_samples.jsonl`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import ragaliq
from ragaliq.aggregate.exported_log import ExportedLog, LoggedAnswer
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.config import slug
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.report.exports.files import part_name, write_new
from ragaliq.storage.files import json_text

_SCHEMA = "0.3.0"
_STAGES = ("reader", "retriever", "embedder", "reranker")
_DEPLOYMENT = {"deployment_type": "unknown", "model_availability": "unknown"}
# The schema's score of a level that is not known: it has no null.
_UNKNOWN = -1
# The least grade of an answer that is right, as in the waterfall.
_RIGHT = 4


def write_every_eval_ever(out: Path, run: RunFigures, logs: Sequence[ExportedLog], graded: datetime) -> list[Path]:
    """Write aggregate and samples of a run below `out`, and return their paths; equal files may be there already.

    Raises:
        InputError: if a file of another content is there.
    """
    benchmark, name = slug(run.config["data"]["name"]), slug(run.name)
    model = f"ragaliq/{name}"
    head = {"schema_version": _SCHEMA, "evaluation_id": f"{benchmark}/{model}/{int(graded.timestamp())}"}
    rows = [
        {**head, "model_id": model, **_ids(run, log), **_row(log, answer)} for log in logs for answer in log.answers
    ]
    samples = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
    folder, uuid = f"data/{benchmark}/{model}", _uuid(samples)
    aggregate = {
        **head,
        "evaluation_timestamp": graded.isoformat(),
        "retrieved_timestamp": str(int(graded.timestamp())),
        "source_metadata": {
            "source_name": "ragaliq",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "ragaliq", "version": ragaliq.__version__},
        "model_info": _model_info(run, model),
        "evaluation_results": [_result(run, log) for log in logs if log.aggregates.mean_weight is not None],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{folder}/{uuid}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples).hexdigest(),
            "total_rows": len(rows),
        },
    }
    data = (json_text(aggregate) + "\n").encode("utf-8", "replace")
    return write_new({out / folder / f"{uuid}.json": data, out / folder / f"{uuid}_samples.jsonl": samples})


def _model_info(run: RunFigures, model: str) -> dict[str, Any]:
    parts = {stage: part_name(run.config["system"], stage) for stage in _STAGES}
    return {"name": run.name, "id": model, "developer": "ragaliq", "additional_details": {**_DEPLOYMENT, **parts}}


def _result(run: RunFigures, log: ExportedLog) -> dict[str, Any]:
    values, data = log.aggregates, run.config["data"]
    interval = values.mean_weight_ci
    of = {"version": data["version"], "hash": data["hash"], "samples_number": str(values.n_expected)}
    uncertainty: dict[str, Any] = {"num_samples": values.n_scored}
    if interval is not None:
        ends = {"lower": interval.low, "upper": interval.high}
        uncertainty["confidence_interval"] = {**ends, "confidence_level": 0.95}
    return {
        **_ids(run, log),
        "source_data": {"dataset_name": data["name"], "source_type": "other", "additional_details": of},
        "metric_config": {
            "evaluation_description": "weight of the judge's grade: 5 is 1, 4 .8, 3 .6, 0 (abstains) .4, 2 .2, 1 is 0",
            "metric_id": "ragaliq.weight",
            "metric_name": "weight",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "has_unknown_level": True,
            **_judge(run, log),
        },
        "score_details": {
            "score": values.mean_weight,
            "details": {"weighted_score": str(values.weighted_score), "coverage": str(values.coverage)},
            "uncertainty": uncertainty,
        },
    }


def _judge(run: RunFigures, log: ExportedLog) -> dict[str, Any]:
    if not log.judge:
        return {}
    info = {"name": log.judge, "id": log.judge, "additional_details": _DEPLOYMENT}
    prompt = (run.config.get("judge") or {}).get("prompt_hash") or "unknown"
    return {"llm_scoring": {"judges": [{"model_info": info}], "input_prompt": f"the prompt with hash {prompt}"}}


def _row(log: ExportedLog, logged: LoggedAnswer) -> dict[str, Any]:
    item, answer, verdict = logged.answered.item, logged.answered.answer, logged.verdict
    outcome = "no_verdict" if verdict is None else str(verdict.outcome)
    grade, usage = logged.grade, answer.usage
    references = [item.reference, *item.aliases]
    metadata = {"lang": log.lang, "answer_outcome": str(answer.outcome), "outcome": outcome}
    if verdict is not None:
        metadata |= {"judge": verdict.judge, "feedback": verdict.feedback}
    tokens = None if usage is None else (usage.prompt_tokens, usage.completion_tokens)
    return {
        "sample_id": item.query.query_id,
        "sample_hash": hashlib.sha256((item.query.text + "".join(references)).encode("utf-8", "replace")).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": item.query.text, "reference": references},
        "output": {"raw": [answer.text]},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {
            "score": _UNKNOWN if grade is None else WEIGHTS[grade],
            "is_correct": grade is not None and grade >= _RIGHT,
        },
        "token_usage": tokens and {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)},
        "performance": None if logged.seconds is None else {"latency_ms": logged.seconds * 1000},
        "error": answer.error or outcome if grade is None else None,
        "metadata": metadata if grade is None else {**metadata, "grade": str(grade)},
    }


def _ids(run: RunFigures, log: ExportedLog) -> dict[str, str]:
    name = f"{run.config['data']['name']}_{log.lang}"
    return {"evaluation_result_id": f"weight.{name}", "evaluation_name": name}


def _uuid(data: bytes) -> str:
    """Return a UUID of the form of version 4, which the schema asks for, from the content: equal runs, equal names."""
    return str(UUID(bytes=hashlib.sha256(data).digest()[:16], version=4))
