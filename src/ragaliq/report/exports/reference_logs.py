"""A run as the log files of the RAGaliq sources: answers, judged answers, and a summary, for each language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.aggregate.exported_log import ExportedLog, LoggedAnswer
from ragaliq.config import slug
from ragaliq.metrics.answers.aggregates import GRADES
from ragaliq.report.exports.files import part_name, write_new
from ragaliq.storage.files import json_text

_STAGES = {"reader": "Reader Model", "embedder": "Embedder model", "reranker": "Reranker model"}


def write_reference_logs(out: Path, config: Mapping[str, Any], logs: Sequence[ExportedLog]) -> list[Path]:
    """Write the files of each language below `out`, and return their paths; equal files may be there already.

    Raises:
        InputError: if a file of another content is there.
    """
    files = {out / name: data for log in logs for name, data in _files(config, log).items()}
    return write_new(files)


def _files(config: Mapping[str, Any], log: ExportedLog) -> dict[str, bytes]:
    """Return the content of each file by its place; the names are read at their underscores."""
    parts = "_".join(_file_part(config["system"], stage) for stage in _STAGES)
    name = f"questions_{log.lang}_{parts}_{log.lang}"
    texts = {
        f"logs/eval/eval_ans_{name}.json": json_text([_answer_row(answer) for answer in log.answers]),
        f"logs/eval/eval_res_{name}.json": json_text([_judged_row(answer) for answer in log.graded]),
        f"logs/res/results_{name}.txt": _summary(config, log),
    }
    return {place: text.encode("utf-8") for place, text in texts.items()}


def _file_part(system: Mapping[str, Any], stage: str) -> str:
    """Return the last part of a model's id, without underscores."""
    return slug(part_name(system, stage).rstrip("/").rpartition("/")[2]).replace("_", "-")


def _answer_row(logged: LoggedAnswer) -> dict[str, Any]:
    item, answer = logged.answered.item, logged.answered.answer
    return {
        "question": item.query.text,
        "true_answer": item.reference,
        "source_doc": logged.source,
        # A line a chunk: there chunks are lines.
        "context": "\n".join(f"Sim: {hit.score:.2f} - {' '.join(hit.chunk.text.split())}" for hit in answer.context),
        "generated_answer": answer.text,
        "logprobs": [[{"prob": one.prob, "token": one.token} for one in place] for place in answer.logprobs],
        "language_consistency_score": logged.consistency,
    }


def _judged_row(logged: LoggedAnswer) -> dict[str, Any]:
    assert logged.verdict is not None
    return {**_answer_row(logged), "feedback": logged.verdict.feedback, "score": logged.verdict.grade}


def _summary(config: Mapping[str, Any], log: ExportedLog) -> str:
    values, data = log.aggregates, config["data"]
    counts = {grade: count for grade in GRADES if (count := values.counts[grade])}
    width = max((len(str(count)) for count in counts.values()), default=1)
    figures = {
        "Language consistency score": log.consistency,
        "Mean score": values.mean_nonzero,
        "Median score": values.median_nonzero,
        "Percentage": values.percentage,
        "Percentage with zero": values.percentage_with_zero,
        "Generation time": log.seconds,
    }
    lines = [
        f"Eval file: {data['name']} {data['version']} {log.lang}",
        f"Judge model: {log.judge}",
        *(f"{title}: {part_name(config['system'], stage)}" for stage, title in _STAGES.items()),
        # The counts as pandas prints them.
        "score",
        *(f"{grade}    {count:>{width}}" for grade, count in counts.items()),
        "Name: count, dtype: int64",
        "",
        # What is not defined is "nan", which Python reads as a number.
        *(
            line
            for title, value in figures.items()
            for line in (f"{title}: ", "nan" if value is None else repr(float(value)))
        ),
    ]
    return "\n".join([*lines, "", ""])
