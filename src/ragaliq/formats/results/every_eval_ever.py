"""Every Eval Ever (schema 0.3): an aggregate `UUID.json`, and beside it `UUID_samples.jsonl` with the samples.

A sample has one row for each result of the aggregate that it is part of; here they are one answer with several values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultFile, ResultRow, Scale, finite
from ragaliq.storage.files import Row, parse_json, read_text
from ragaliq.storage.journal import read_journal

_SAMPLES = "_samples.jsonl"
_NO_METRIC = "score"
_NO_SCORE = "not scored"
_ERROR_LENGTH = 200
# Metadata that say which sample a row is of, not what it is like.
_EPOCH = "epoch"


@dataclass(frozen=True, slots=True)
class _Result:
    """One metric of one evaluation, as the aggregate describes it."""

    metric: str
    scale: Scale = field(default_factory=Scale)
    has_unknown: bool = False


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """What the aggregate says of its samples; results go by their id and, where rows name none, by evaluation."""

    tool: str = "Every Eval Ever"
    by_id: Mapping[str, _Result] = field(default_factory=dict)
    by_name: Mapping[str, _Result] = field(default_factory=dict)
    judge: str = ""
    data: str = ""
    n_expected: int | None = None


@dataclass(slots=True)
class _Sample:
    """The rows of one answer."""

    where: str
    first: Row
    lang: str
    item: str
    draw: int
    values: dict[str, float | None] = field(default_factory=dict)
    lost: str = ""


def is_every_eval_ever(value: Any) -> bool:
    """Return whether a JSON value is an aggregate of Every Eval Ever."""
    return isinstance(value, dict) and {"schema_version", "evaluation_id", "evaluation_results"} <= value.keys()


def is_instance(row: Row) -> bool:
    """Return whether a row is one of its samples."""
    return {"evaluation_id", "sample_id", "evaluation"} <= row.keys()


def read_every_eval_ever(value: Any, path: Path) -> ResultFile:
    """Return the results of the samples beside an aggregate.

    Raises:
        InputError: if there are no samples, or a row is malformed.
    """
    named = _object(value.get("detailed_evaluation_results")).get("file_path")
    name = PurePosixPath(named).name if isinstance(named, str) else ""
    samples = next((file for file in (path.with_name(name or path.stem), _samples_of(path)) if file.is_file()), None)
    if samples is None:
        raise InputError(f"{path}: has aggregates alone; put its {name or _samples_of(path).name} beside it")
    rows = [(f"{samples}:{number}", row) for number, row in read_journal(samples)]
    return _result_file(rows, _aggregate(value, path), samples, ())


def read_instances(rows: list[tuple[str, Row]], path: Path) -> ResultFile:
    """Return the results of a file of samples; its aggregate beside it says what the values mean.

    Raises:
        InputError: as `read_every_eval_ever`.
    """
    beside = path.with_name(path.name.removesuffix(_SAMPLES) + ".json")
    if path.name.endswith(_SAMPLES) and beside.is_file():
        value = parse_json(read_text(beside), str(beside))
        if is_every_eval_ever(value):
            return _result_file(rows, _aggregate(value, beside), path, ())
    note = f"{path}: its aggregate {beside.name} is not beside it, so neither range nor names of the metrics are known"
    return _result_file(rows, _Aggregate(), path, (note,))


def _samples_of(path: Path) -> Path:
    return path.with_name(path.stem + _SAMPLES)


def _aggregate(value: Row, path: Path) -> _Aggregate:
    results = value["evaluation_results"]
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        raise InputError(f"{path}: 'evaluation_results' is not a list of objects; fix it")
    names = [(str(one.get("evaluation_name")), _metric_name(one)) for one in results]
    # Two scorers of one evaluation may report metrics of one name.
    unique = len(set(names)) == len(names)
    by_id: dict[str, _Result] = {}
    by_name: dict[str, _Result] = {}
    for (name, metric), result in zip(names, results, strict=True):
        key = str(result.get("evaluation_result_id") or "")
        one = _result(result, metric if unique or not key else key)
        by_name.setdefault(name, one)
        if key:
            by_id[key] = one
    library = _object(value.get("eval_library"))
    tool = f"Every Eval Ever {value['schema_version']} ({library.get('name', '?')} {library.get('version', '?')})"
    sources = [_object(result.get("source_data")) for result in results]
    data = " + ".join(dict.fromkeys(str(one["dataset_name"]) for one in sources if one.get("dataset_name")))
    judges = dict.fromkeys(judge for result in results for judge in _judges(_object(result.get("metric_config"))))
    return _Aggregate(tool, by_id, by_name, " + ".join(judges), data, _expected(sources))


def _metric_name(result: Row) -> str:
    config = _object(result.get("metric_config"))
    return str(config.get("metric_name") or config.get("metric_id") or _NO_METRIC)


def _result(result: Row, metric: str) -> _Result:
    config = _object(result.get("metric_config"))
    low, high = finite(config.get("min_score")), finite(config.get("max_score"))
    if config.get("score_type") == "binary":
        low, high = 0.0, 1.0
    if config.get("score_type") == "levels" and isinstance(config.get("level_names"), list):
        low, high = 0.0, float(len(config["level_names"]) - 1)
    scale = Scale(low, high, config.get("lower_is_better") is True)
    return _Result(metric, scale, config.get("has_unknown_level") is True)


def _judges(config: Row) -> list[str]:
    judges = _object(config.get("llm_scoring")).get("judges")
    models = [_object(_object(judge).get("model_info")) for judge in judges] if isinstance(judges, list) else []
    return [str(model.get("id") or model.get("name")) for model in models if model.get("id") or model.get("name")]


def _expected(sources: list[Row]) -> int | None:
    """Return the number of samples, if all results say the same."""
    numbers = {
        one.get("samples_number") or _object(one.get("additional_details")).get("samples_number") for one in sources
    }
    number = next(iter(numbers)) if len(numbers) == 1 else None
    return int(number) if isinstance(number, int | str) and str(number).isdecimal() else None


def _result_file(
    rows: Iterable[tuple[str, Row]], aggregate: _Aggregate, path: Path, notes: tuple[str, ...]
) -> ResultFile:
    samples: dict[tuple[str, str, str, str, int], _Sample] = {}
    scales: dict[str, Scale] = {}
    for where, row in rows:
        _add(samples, scales, aggregate, where, row)
    if not samples:
        raise InputError(f"{path}: holds no sample; fetch it again")
    names = {(key[0], key[2]) for key in samples}
    several = len(names) > len({lang for _, lang in names})
    metrics: dict[str, dict[str, None]] = {}
    for key, sample in samples.items():
        metrics.setdefault(key[0], {}).update(dict.fromkeys(sample.values))
    order = [result.metric for result in aggregate.by_id.values()]
    scales = dict(sorted(scales.items(), key=lambda one: order.index(one[0]) if one[0] in order else len(order)))
    return ResultFile(
        aggregate.tool,
        tuple(_answer(sample, metrics[key[0]], several) for key, sample in samples.items()),
        scales,
        aggregate.judge,
        aggregate.data,
        aggregate.n_expected,
        notes,
    )


def _add(
    samples: dict[tuple[str, str, str, str, int], _Sample],
    scales: dict[str, Scale],
    aggregate: _Aggregate,
    where: str,
    row: Row,
) -> None:
    """Add a row's value to its answer."""
    evaluation, metadata = row.get("evaluation"), _object(row.get("metadata"))
    missing = next(
        (key for key in ("sample_id", "model_id", "evaluation_name") if not isinstance(row.get(key), str)), ""
    )
    if missing or not isinstance(evaluation, dict):
        raise InputError(f"{where}: '{missing or 'evaluation'}' is missing; write it as the schema asks")
    result = aggregate.by_id.get(str(row.get("evaluation_result_id"))) or aggregate.by_name.get(row["evaluation_name"])
    result = result or _Result(str(row.get("evaluation_result_id") or _NO_METRIC))
    scales.setdefault(result.metric, result.scale)
    value, lost = _value(row, evaluation, result)
    lang = str(metadata.get("lang") or metadata.get("language") or "")
    epoch = str(metadata.get(_EPOCH) or "1")
    draw = int(epoch) if epoch.isdecimal() and int(epoch) > 0 else 1
    while (key := (row["evaluation_name"], row["model_id"], lang, row["sample_id"], draw)) in samples:
        if result.metric not in samples[key].values:
            break
        # The schema has no field for one of several answers.
        draw += 1
    sample = samples.setdefault(key, _Sample(where, row, lang, row["sample_id"], draw))
    sample.values[result.metric] = value
    sample.lost = sample.lost or lost


def _value(row: Row, evaluation: Row, result: _Result) -> tuple[float | None, str]:
    error = row.get("error")
    if error:
        return None, str(error).strip().partition("\n")[0][:_ERROR_LENGTH] or "error"
    score = evaluation.get("score")
    value = float(score) if isinstance(score, bool) else finite(score)
    if value is None:
        return None, _NO_SCORE
    # The schema's sign for a level that is not known.
    return (None, "unknown level") if result.has_unknown and value == -1 else (value, "")


def _answer(sample: _Sample, metrics: Iterable[str], several: bool) -> ResultRow:
    values = {metric: sample.values.get(metric) for metric in metrics}
    lost = _NO_SCORE if None in values.values() else ""
    row, performance = sample.first, _object(sample.first.get("performance"))
    times = [finite(performance.get(key)) for key in ("latency_ms", "generation_time_ms")]
    known = [time for time in times if time is not None]
    question = _object(row.get("input")).get("raw")
    return ResultRow(
        sample.where,
        f"{row['evaluation_name']}/{sample.item}" if several else sample.item,
        values,
        row["model_id"],
        sample.lang,
        sample.lost or lost,
        question if isinstance(question, str) else "",
        sample.draw,
        max(known) / 1000 if known else None,
        fields={key: value for key, value in _object(row.get("metadata")).items() if isinstance(value, str)},
    )


def _object(value: Any) -> Row:
    return value if isinstance(value, dict) else {}
