"""Logs of inspect_ai: `.eval` archives and JSON, with every sample, epoch and scorer.

A score's value is taken as inspect's `value_to_float` takes it (C 1, P .5, I and N 0, yes and no, numbers in texts),
except that a text which it cannot read has no value here, where inspect counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.reading.members import read_members
from ragaliq.formats.results.inspect_header import LogHeader, object_or_empty, read_header, texts
from ragaliq.formats.results.rows import ResultFile, ResultRow, Scale, finite
from ragaliq.storage.files import Row, decode_text, parse_json

_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_HEADER, _START = "header.json", "_journal/start.json"
_ERROR_LENGTH = 200
_NO_SCORE = "not scored"


def is_inspect_log(value: Any) -> bool:
    """Return whether a JSON value is a log of inspect_ai."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "task" in value["eval"]


def read_inspect_log(value: Any, path: Path) -> ResultFile:
    """Return the results in a log in JSON.

    Raises:
        InputError: if a part of it is not what inspect writes, or it holds no sample and names none.
    """
    samples = value.get("samples")
    if samples is not None and not isinstance(samples, list):
        raise InputError(f"{path}: 'samples' is not a list; export the log again")
    numbered = ((f"{path}: sample {number}", sample) for number, sample in enumerate(samples or (), start=1))
    return _result_file(read_header(value, path), numbered, path)


def read_inspect_archive(path: Path) -> ResultFile:
    """Return the results in an `.eval` file; one whose run was killed has what was flushed.

    Raises:
        InputError: as `read_inspect_log`, and if the archive is damaged or not safe to read.
    """
    heads = {name: _parsed(data, f"{path}/{name}") for name, data in read_members(path, (_HEADER, _START).__contains__)}
    if not heads:
        raise InputError(f"{path}: has neither {_HEADER} nor {_START}; is it a log of inspect_ai?")
    head = heads[_HEADER] if _HEADER in heads else heads[_START]
    if not is_inspect_log(head):
        raise InputError(f"{path}: its header is not that of a log of inspect_ai; fetch it again")
    head = {"status": "started", **head}
    members = read_members(path, lambda name: name.startswith("samples/") and name.endswith(".json"))
    samples = ((f"{path}/{name}", _parsed(data, f"{path}/{name}")) for name, data in members)
    return _result_file(read_header(head, path), samples, path)


@dataclass(slots=True)
class _Taken:
    """What was met among the samples: metrics in order, those with numbers of any size, what is worth a note."""

    metrics: dict[str, None] = field(default_factory=dict)
    open_range: set[str] = field(default_factory=set)
    no_answers: int = 0
    scored_errors: int = 0


def _result_file(header: LogHeader, samples: Iterable[tuple[str, Any]], path: Path) -> ResultFile:
    taken = _Taken()
    rows = [_row(sample, where, header, taken) for where, sample in samples]
    rows = [_completed(row, taken.metrics) for row in rows]
    rows += _missing(header, rows, path)
    if not rows:
        raise InputError(f"{path}: holds no sample (status {header.status}); read the log with its samples")
    if not taken.metrics:
        # Nothing was scored, and the scorers say what should have been.
        rows = [_completed(row, header.scorers) for row in rows]
    metrics = sorted(taken.metrics or header.scorers, key=header.rank)
    scales = {name: header.scales.get(name) or _scale(name in taken.open_range) for name in metrics}
    one_language = len({row.lang for row in rows}) == 1
    return ResultFile(
        header.tool,
        tuple(rows),
        scales,
        header.judge,
        header.data,
        header.n_samples if one_language else None,
        tuple(_notes(header, taken, path)),
    )


def _scale(open_range: bool) -> Scale:
    return Scale() if open_range else Scale(0.0, 1.0)


def _row(sample: Any, where: str, header: LogHeader, taken: _Taken) -> ResultRow:
    if not isinstance(sample, dict) or not isinstance(sample.get("id"), str | int):
        raise InputError(f"{where}: a sample with an 'id' is expected; export the log again")
    error, invalid = _message(sample.get("error")), sample.get("invalidation")
    values, lost = _values(sample.get("scores"), where, taken)
    if invalid:
        values, lost = dict.fromkeys(values), _short("invalidated", invalid, "reason")
    if any(value is not None for value in values.values()):
        # With `score_on_error`.
        taken.scored_errors += bool(error)
        error = ""
    usage = object_or_empty(object_or_empty(sample.get("model_usage")).get(header.model))
    fields = texts(sample.get("metadata"))
    return ResultRow(
        where,
        str(sample["id"]),
        values,
        header.model,
        fields.get("lang") or fields.get("language") or header.lang,
        error or lost,
        _question(sample.get("input")),
        _positive(sample.get("epoch")) or 1,
        finite(sample.get("total_time") if sample.get("working_time") is None else sample.get("working_time")),
        finite(usage.get("total_cost")),
        fields,
    )


def _completed(row: ResultRow, metrics: Iterable[str]) -> ResultRow:
    """Return a row with all metrics of the log."""
    values = {metric: row.values.get(metric) for metric in metrics}
    lost = _NO_SCORE if None in values.values() else ""
    return replace(row, values=values, error=row.error or lost)


def _values(scores: Any, where: str, taken: _Taken) -> tuple[dict[str, float | None], str]:
    """Return a sample's values by metric, and why one is missing."""
    values: dict[str, float | None] = {}
    lost = "" if scores else _NO_SCORE
    if scores is not None and not isinstance(scores, dict):
        raise InputError(f"{where}: 'scores' is not an object; export the log again")
    for name, score in (scores or {}).items():
        if not isinstance(score, dict):
            raise InputError(f"{where}: the score '{name}' is not an object; export the log again")
        for metric, raw in _parts(name, score.get("value")):
            values[metric] = value = _as_float(raw)
            taken.metrics[metric] = None
            taken.no_answers += raw == "N"
            if value is None:
                lost = lost or _reason(score, raw)
            elif not isinstance(raw, bool) and not _is_word(raw):
                taken.open_range.add(metric)
    return values, lost


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the metrics of a score: one, or one for each key or place of its value."""
    if isinstance(value, dict):
        yield from ((f"{name}/{key}", part) for key, part in value.items())
    elif isinstance(value, list):
        yield from ((f"{name}/{place}", part) for place, part in enumerate(value, start=1))
    else:
        yield name, value


def _as_float(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return finite(value)
    if not isinstance(value, str):
        return None
    if _is_word(value):
        return _WORDS.get(value, _WORDS.get(value.lower()))
    try:
        return finite(float(value))
    except ValueError:
        return None


def _is_word(value: Any) -> bool:
    """Return whether a value is a word for right, wrong or half right; single letters are capitals."""
    return isinstance(value, str) and (value in _WORDS or (len(value) > 1 and value.lower() in _WORDS))


def _reason(score: Row, raw: Any) -> str:
    if isinstance(raw, str):
        return "score is a text that is no number"
    legacy = object_or_empty(score.get("metadata")).get("unscored_reason")
    return str(score.get("reason") or legacy or _NO_SCORE)


def _missing(header: LogHeader, rows: list[ResultRow], path: Path) -> list[ResultRow]:
    """Return a row for each sample and epoch of the data set that the log lacks."""
    langs = {row.item: row.lang for row in rows}
    alone = next(iter(set(langs.values()) or {header.lang})) if len(set(langs.values())) < 2 else ""
    there = {(row.item, row.draw) for row in rows}
    metrics = dict.fromkeys(name for row in rows for name in row.values)
    return [
        ResultRow(
            str(path), item, metrics, header.model, langs.get(item, alone), f"not run ({header.status})", draw=draw
        )
        for item in header.sample_ids
        for draw in range(1, header.epochs + 1)
        if (item, draw) not in there
    ]


def _notes(header: LogHeader, taken: _Taken, path: Path) -> Iterator[str]:
    if header.status != "success":
        yield f"{path}: the run ended with status {header.status}; samples that it lacks have no value"
    if header.n_data_set is not None and header.n_samples is not None and header.n_samples < header.n_data_set:
        yield f"{path}: {header.n_samples} of the {header.n_data_set} samples of the data set were to be run"
    if taken.no_answers:
        yield f"{path}: scores 'N' (no answer), which inspect counts as 0: {taken.no_answers}"
    if taken.scored_errors:
        yield f"{path}: samples that ended with an error and were scored all the same: {taken.scored_errors}"


def _parsed(data: bytes, where: str) -> Any:
    return parse_json(decode_text(data, where), where, constants=True)


def _message(error: Any) -> str:
    return "" if not error else _short("", error, "message")


def _short(start: str, value: Any, key: str) -> str:
    """Return the first line of a text of a record, cut: it is counted, not read."""
    text = str(value.get(key) or "error") if isinstance(value, dict) else str(value)
    line = text.strip().partition("\n")[0][:_ERROR_LENGTH]
    return ": ".join(part for part in (start, line) if part)


def _question(value: Any) -> str:
    """Return a sample's input: a text, or the last message of the user."""
    if isinstance(value, str):
        return value
    messages = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    asked = [one.get("content") for one in messages if one.get("role") == "user"]
    return asked[-1] if asked and isinstance(asked[-1], str) else ""


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
