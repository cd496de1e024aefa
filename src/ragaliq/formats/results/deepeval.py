"""Test runs of DeepEval: the JSON files that it writes into `DEEPEVAL_RESULTS_FOLDER`.

Written after the files of version 4.3.1.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import ResultFile, ResultRow
from ragaliq.formats.results.values import (
    ID_NAMES,
    amount,
    first_of,
    json_value,
    lang_of,
    plain_text,
    plain_texts,
    required,
    scale_of,
)
from ragaliq.storage.files import Row

# What DeepEval calls test cases that have no name: their place, which says nothing of the item.
_NO_NAME = re.compile(r"(conversational_)?test_case_\d+")
_LISTS = ("testCases", "conversationalTestCases")


def is_deepeval(value: Any) -> bool:
    """Return whether a JSON value is a test run of DeepEval."""
    return isinstance(value, dict) and any(isinstance(value.get(key), list) for key in _LISTS)


def read_deepeval(value: Any, path: Path) -> ResultFile:
    """Return the test cases of a run with the score of each metric; the system is the run's identifier or model.

    A metric with an error has no value, whatever its score. An item is the case's id in its metadata, else its name,
    else its input; its language is in the metadata. Less is better where scores above the threshold failed and none
    passed, as those of bias and hallucination did in earlier versions; a file does not name its version.

    Raises:
        InputError: if a case lacks what is needed.
    """
    cases = [case for key in _LISTS for case in (value.get(key) or [])]
    if not cases:
        raise InputError(f"{path}: holds no test case; give a finished test run")
    system = plain_text(value.get("identifier")) or _model(value.get("hyperparameters"))
    draws: Counter[tuple[str, str]] = Counter()
    rows, judges, failed_above = [], set(), dict[str, bool]()
    for number, case in enumerate(cases, start=1):
        where = f"{path}: test case {number}"
        measured = _measured(case, where)
        for name, metric in measured.items():
            above = _above(metric)
            if above is not None:
                failed_above[name] = failed_above.get(name, True) and above
        judges |= {plain_text(metric.get("evaluationModel")) for metric in measured.values()} - {""}
        values = {name: _score(metric, name, where) for name, metric in measured.items()}
        errors = [f"{name}: {why}" for name, metric in measured.items() if (why := _why(metric))]
        if not measured:
            errors = ["no metric was measured"]
        metadata = case["metadata"] if isinstance(case.get("metadata"), dict) else {}
        fields = plain_texts({**metadata, "name": case.get("name")}, where)
        question = plain_text(case.get("input")) or plain_text(case.get("scenario"))
        item = first_of(fields, ID_NAMES) or _name(case) or question
        if not item:
            raise InputError(f"{where}: neither 'name' nor 'input' is a text; export the run again")
        lang = lang_of(fields)
        draws[item, lang] += 1
        rows.append(
            ResultRow(
                where, item, values, system, lang, "; ".join(errors), question, draws[item, lang],
                amount(case.get("completionTime")), amount(case.get("tokenCost")), fields,
            )
        )  # fmt: skip
    less = [name for name, failed in failed_above.items() if failed]
    return _file(rows, less, sorted(judges), plain_text(value.get("datasetAlias")))


def _file(rows: list[ResultRow], less: list[str], judges: list[str], data: str) -> ResultFile:
    names = dict.fromkeys(name for row in rows for name in row.values)
    if not names:
        raise InputError(f"{rows[0].where}: no metric was measured in the whole run; give one with metrics")
    # A case that was left out of every metric has no value for any.
    rows = [row if row.values else _without_values(row, list(names)) for row in rows]
    scales = {name: scale_of((row.values.get(name) for row in rows), name in less) for name in names}
    notes = [f"{', '.join(less)}: less is better"] if less else []
    n_errors = sum(bool(row.error) for row in rows)
    if n_errors:
        notes.append(f"{n_errors} of {len(rows)} test cases have an error: no value")
    return ResultFile("DeepEval", tuple(rows), scales, "+".join(judges), data, notes=tuple(notes))


def _without_values(row: ResultRow, names: list[str]) -> ResultRow:
    return ResultRow(
        row.where, row.item, dict.fromkeys(names), row.system, row.lang, row.error, row.question, row.draw,
        row.seconds, row.cost, row.fields,
    )  # fmt: skip


def _measured(case: Any, where: str) -> dict[str, Row]:
    metrics = required(case, "metricsData", list, where) if not _is_unmeasured(case) else []
    by_name = {}
    for metric in metrics:
        name = required(metric, "name", str, where)
        if name in by_name:
            raise InputError(f"{where}: two metrics are called '{name}'; name one again")
        by_name[name] = metric
    return by_name


def _is_unmeasured(case: Any) -> bool:
    return isinstance(case, dict) and case.get("metricsData") is None


def _why(metric: Row) -> str:
    """Return why a metric has no value; DeepEval gives some failed metrics a score, too."""
    error = plain_text(metric.get("error")).partition("\n")[0]
    return error or ("" if metric.get("score") is not None else "no score")


def _score(metric: Row, name: str, where: str) -> float | None:
    return None if _why(metric) else json_value(metric.get("score"), name, where)


def _name(case: Row) -> str:
    name = plain_text(case.get("name"))
    return "" if _NO_NAME.fullmatch(name) else name


def _model(hyperparameters: Any) -> str:
    return plain_text(hyperparameters.get("model")) if isinstance(hyperparameters, dict) else ""


def _above(metric: Row) -> bool | None:
    """Return whether a score above the threshold failed; None of a score that is not above it."""
    score, threshold, success = (metric.get(key) for key in ("score", "threshold", "success"))
    if _why(metric) or not isinstance(score, int | float) or not isinstance(threshold, int | float):
        return None
    return success is False if score > threshold and isinstance(success, bool) else None
