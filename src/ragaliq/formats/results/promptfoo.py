"""Results of promptfoo: the JSON file of `promptfoo eval -o results.json`, whose results have version 3.

Written after the files of version 0.121.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.answers.columns import USUAL_NAMES
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
from ragaliq.storage.files import Row, json_text

# Its `failureReason` of a result without an answer, or whose assertions could not be tried; 1 is an answer that failed.
_ERROR = 2
_SCORE, _PASS = "score", "pass"
# A prompt's label is the prompt itself where it has none.
_LONGEST_LABEL = 40


def is_promptfoo(value: Any) -> bool:
    """Return whether a JSON value is a file of results of promptfoo."""
    inner = value.get("results") if isinstance(value, dict) else None
    return isinstance(inner, dict) and isinstance(inner.get("results"), list) and "stats" in inner


def read_promptfoo(value: Any, path: Path) -> ResultFile:
    """Return the results of all providers and prompts; a system is a provider, with its prompt where there are several.

    Metrics: `score`, `pass` and the named scores. promptfoo scores an error 0; here it has no value. An item is the
    variable `id` (or another usual name of it), else the description and all variables of the test: repeats of a test
    are several answers to one item.

    Raises:
        InputError: if a result lacks what is needed.
    """
    results = value["results"]["results"]
    if not results:
        raise InputError(f"{path}: holds no result; give a finished evaluation")
    prompts = _prompts(results, path)
    draws: Counter[tuple[str, str, str]] = Counter()
    rows = []
    for where, result in _numbered(results, path):
        row = _row(result, where, prompts)
        draws[row.system, row.item, row.lang] += 1
        fields = dict(row.fields)
        rows.append(
            ResultRow(
                where, row.item, row.values, row.system, row.lang, row.error, row.question,
                draws[row.system, row.item, row.lang], row.seconds, row.cost, fields,
            )
        )  # fmt: skip
    names = dict.fromkeys([_SCORE, _PASS, *(name for row in rows for name in row.values)])
    scales = {name: scale_of(row.values.get(name) for row in rows) for name in names}
    metadata = value.get("metadata")
    version = plain_text(metadata.get("promptfooVersion")) if isinstance(metadata, dict) else ""
    judges = sorted({judge for _, result in _numbered(results, path) for judge in _judges(result)})
    n_errors = sum(bool(row.error) for row in rows)
    notes = [f"{n_errors} of {len(rows)} results are errors: no value (promptfoo scores them 0)"] if n_errors else []
    return ResultFile(f"promptfoo {version}".strip(), tuple(rows), scales, "+".join(judges), notes=tuple(notes))


def _numbered(results: list[Any], path: Path) -> Iterator[tuple[str, Row]]:
    for number, result in enumerate(results, start=1):
        where = f"{path}: result {number}"
        if not isinstance(result, dict):
            raise InputError(f"{where}: an object is expected; export the results again")
        yield where, result


def _row(result: Row, where: str, prompts: Mapping[str, str]) -> ResultRow:
    variables = plain_texts(required(result, "vars", dict, where), where)
    test = result["testCase"] if isinstance(result.get("testCase"), dict) else {}
    error = _error(result)
    named = result.get("namedScores") or {}
    if not isinstance(named, dict):
        raise InputError(f"{where}: 'namedScores' must be an object; export the results again")
    values: dict[str, float | None]
    if error:
        # The scores that the test asks for are missing, too.
        values = dict.fromkeys([_SCORE, _PASS, *_metrics(test), *named])
    else:
        scores = {_SCORE: result.get("score"), _PASS: result.get("success"), **named}
        values = {key: json_value(score, key, where) for key, score in scores.items()}
    response = result["response"] if isinstance(result.get("response"), dict) else {}
    milliseconds = None if response.get("cached") or error else amount(result.get("latencyMs"))
    return ResultRow(
        where,
        first_of(variables, ID_NAMES) or _item(result, test, where),
        values,
        _system(result, where, prompts),
        lang_of(variables),
        error,
        first_of(variables, USUAL_NAMES["question"]) or next(iter(variables.values()), ""),
        seconds=None if milliseconds is None else milliseconds / 1000,
        cost=amount(result.get("cost")),
        fields=variables,
    )


def _error(result: Row) -> str:
    """Return why a result is no verdict on an answer; `error` itself also tells why an answer failed."""
    grading = result["gradingResult"] if isinstance(result.get("gradingResult"), dict) else {}
    reason = result.get("failureReason")
    if reason == _ERROR or (reason is None and result.get("error") and not grading):
        return plain_text(result.get("error")).partition("\n")[0] or "error"
    parts = [part for part in grading.get("componentResults") or [] if isinstance(part, dict)]
    failed = [part for part in (grading, *parts) if _failed_grader(part)]
    return f"grader failed: {plain_text(failed[-1].get('reason'))[:80]}" if failed else ""


def _failed_grader(part: Row) -> bool:
    metadata = part.get("metadata")
    return isinstance(metadata, dict) and metadata.get("graderError") is True


def _metrics(test: Row) -> Iterator[str]:
    """Yield the names of the scores that the assertions of a test give."""
    for assertion in test.get("assert") or []:
        if isinstance(assertion, dict):
            if isinstance(assertion.get("metric"), str):
                yield assertion["metric"]
            yield from _metrics(assertion)


def _item(result: Row, test: Row, where: str) -> str:
    variables = result["vars"]
    if not variables and not test.get("description"):
        return plain_text(result.get("testIdx")) or where
    described = plain_text(test.get("description"))
    only = plain_text(next(iter(variables.values()))) if len(variables) == 1 else ""
    return " ".join(filter(None, (described, only or json_text(dict(sorted(variables.items()))))))


def _prompts(results: list[Any], path: Path) -> dict[str, str]:
    """Return what each prompt is called, by its label, where there are several."""
    labels = sorted({_label(result) for _, result in _numbered(results, path)})
    if len(labels) < 2:
        return dict.fromkeys(labels, "")
    return {
        label: label if len(label) <= _LONGEST_LABEL and "\n" not in label else f"prompt {number}"
        for number, label in enumerate(labels, start=1)
    }


def _label(result: Row) -> str:
    prompt = result["prompt"] if isinstance(result.get("prompt"), dict) else {}
    return plain_text(prompt.get("label")) or plain_text(result.get("promptId"))


def _system(result: Row, where: str, prompts: Mapping[str, str]) -> str:
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if not isinstance(provider, str) or not provider:
        raise InputError(f"{where}: 'provider' must name a provider; export the results again")
    prompt = prompts[_label(result)]
    return f"{provider}, {prompt}" if prompt else provider


def _judges(result: Row) -> Iterator[str]:
    """Yield the models that assertions of a test name as their grader."""
    test = result.get("testCase")
    for assertion in (test.get("assert") or []) if isinstance(test, dict) else []:
        provider = assertion.get("provider") if isinstance(assertion, dict) else None
        if isinstance(provider, str) and provider:
            yield provider
