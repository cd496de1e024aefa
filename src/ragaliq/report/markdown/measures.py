"""Measures of TREC runs: tables for people, the same values for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.experiment.figures.measured_run import MeasuredRun
from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.report.format import NONE, bullets, decimals, markdown, span
from ragaliq.storage.files import json_text

# A bootstrap of fewer queries draws too few different samples for an interval that means anything.
_FEW = 5


def render_measures(runs: Sequence[MeasuredRun], form: str, per_query: bool = False) -> str:
    """Return the values of runs under the same judgements as `json`, `csv` or `md`.

    JSON is one object for one run, else a list of them, and always holds the values of each query; the others hold
    them `per_query`.
    """
    if form == "json":
        objects = [_to_json(run) for run in runs]
        value = objects[0] if len(objects) == 1 else objects
        return json_text(value)
    if form == "csv":
        return _csv(_query_rows(runs, [run.name for run in runs], repr) if per_query else _mean_rows(runs))
    parts = [_one(runs[0]) if len(runs) == 1 else _several(runs), _lines(runs)]
    if per_query:
        header, *rows = _query_rows(runs, labels(runs), decimals)
        parts.append(markdown([dict(zip(header, row, strict=True)) for row in rows]))
    return "\n\n".join(parts)


def render_languages(runs: Mapping[str, MeasuredRun]) -> str:
    """Return the values of one system in several languages: a row each, and a line for each that needs a word."""
    measures = list(dict.fromkeys(measure for run in runs.values() for measure in run.measures))
    rows = [
        {
            "language": lang,
            **{str(measure): _value(run, measure) if measure in run.measures else NONE for measure in measures},
            "n": str(len(run.evaluation.query_ids)),
        }
        for lang, run in runs.items()
    ]
    told = {lang: _remarkable(run) for lang, run in runs.items()}
    lines = [f"- {lang}: {'; '.join(remarks)}" for lang, remarks in told.items() if remarks]
    return "\n\n".join([markdown(rows), *(["\n".join(lines)] if lines else [])])


def _to_json(run: MeasuredRun) -> dict[str, Any]:
    """Return the values as programs read them; undefined is None."""
    evaluation = run.evaluation
    names = [str(measure) for measure in run.measures]
    rows = zip(*(evaluation.values[name].tolist() for name in names), strict=True)
    values = [dict(zip(names, row, strict=True)) for row in rows]
    return {
        "measures": {name: evaluation.mean(name) for name in names},
        "n_queries": len(evaluation.query_ids),
        "n_missing_in_run": evaluation.n_missing,
        "per_query": dict(zip(evaluation.query_ids, values, strict=True)),
        "run": run.name,
        "intervals": {str(measure): run.interval(measure) for measure in run.measures},
        "n_extra_in_run": evaluation.n_extra,
        "n_without_relevant": evaluation.n_without_relevant,
        "tied_at_cut": {name: evaluation.tied_at_cut[name] for name in names if name in evaluation.tied_at_cut},
        "judged": {str(measure): evaluation.mean(str(measure)) for measure in run.beside},
        "warnings": list(run.findings),
        "diagnoses": [asdict(diagnosis) for diagnosis in run.diagnoses()],
    }


def _remarkable(run: MeasuredRun) -> list[str]:
    evaluation = run.evaluation
    remarks = []
    if evaluation.n_missing:
        remarks.append(f"queries missing and counted 0: {evaluation.n_missing}")
    if evaluation.n_without_relevant:
        remarks.append(f"queries without anything relevant, counted 0: {evaluation.n_without_relevant}")
    # Findings have a section of their own; missing queries are listed above already.
    names = [finding.partition(":")[0] for finding in run.findings]
    return remarks + [name for name in names if name != "warning[missing-queries]"]


def _value(run: MeasuredRun, measure: Measure) -> str:
    """Return a mean with its interval."""
    return f"{decimals(run.evaluation.mean(str(measure)))} ({_interval(run, measure)})"


def _interval(run: MeasuredRun, measure: Measure) -> str:
    """Return an interval as text where there are queries enough for one."""
    return span(run.interval(measure)) if len(run.evaluation.query_ids) >= _FEW else NONE


def _one(run: MeasuredRun) -> str:
    evaluation = run.evaluation
    rows = [
        {
            "measure": str(measure),
            "value": decimals(evaluation.mean(str(measure))),
            "n": str(len(evaluation.query_ids)),
            "ci95": _interval(run, measure),
            "meaning": measure.meaning,
        }
        for measure in run.measures
    ]
    return markdown(rows)


def labels(runs: Sequence[MeasuredRun]) -> list[str]:
    """Return what tables call the runs: the last part of a path where that tells them apart, else the whole."""
    names = [run.name for run in runs]
    short = [name.replace("\\", "/").rstrip("/").rpartition("/")[2] for name in names]
    return short if len(set(short)) == len(set(names)) else names


def _several(runs: Sequence[MeasuredRun]) -> str:
    # A run may be called like one of the other columns.
    titles = [f"run {label}" if label in ("measure", "n", "meaning") else label for label in labels(runs)]
    n = str(len(runs[0].evaluation.query_ids))
    rows = []
    for measure in runs[0].measures:
        values = dict(zip(titles, (_value(run, measure) for run in runs), strict=True))
        rows.append({"measure": str(measure), **values, "n": n, "meaning": measure.meaning})
    return markdown(rows)


def _lines(runs: Sequence[MeasuredRun]) -> str:
    without = runs[0].evaluation.n_without_relevant
    told = f", without anything relevant and counted 0: {without}" if without else ""
    few = f"; none for fewer than {_FEW} queries" if len(runs[0].evaluation.query_ids) < _FEW else ""
    lines = [
        f"judged queries: {len(runs[0].evaluation.query_ids)}{told}. Unjudged documents count as not relevant.",
        f"ci95: bootstrap over queries, judgements taken as given{few}.",
    ]
    for label, run in zip(labels(runs), runs, strict=True):
        lines.append(f"{label}: {'; '.join(_told(run))}.")
        # Which value to read first is the same for all runs, and the table tells theirs.
        seen = [diagnosis for diagnosis in run.diagnoses() if run is runs[0] or diagnosis.name != "read-first"]
        lines += [f"{label}: {diagnosis.text}." for diagnosis in seen]
    return bullets(lines)


def _told(run: MeasuredRun) -> list[str]:
    """Return the shares of judged documents, and of what is counted besides all that is not 0."""
    evaluation = run.evaluation
    told = [", ".join(f"{measure} {decimals(evaluation.mean(str(measure)))}" for measure in run.beside)]
    if evaluation.n_missing:
        told.append(f"queries missing and counted 0: {evaluation.n_missing}")
    if evaluation.n_extra:
        told.append(f"queries without judgements and left out: {evaluation.n_extra}")
    counts = [(measure, evaluation.tied_at_cut.get(str(measure), 0)) for measure in run.measures]
    tied = ", ".join(f"{measure} {count}" for measure, count in counts if count)
    if tied:
        told.append(f"queries with equal scores on both sides of the cut: {tied}")
    return told


def _mean_rows(runs: Sequence[MeasuredRun]) -> list[list[str]]:
    rows = [["run", "measure", "n", "value", "ci95_low", "ci95_high"]]
    for run in runs:
        for measure in run.measures:
            low, high = run.interval(measure) or (None, None)
            numbers = (run.evaluation.mean(str(measure)), low, high)
            written = ["" if number is None else repr(number) for number in numbers]
            rows.append([run.name, str(measure), str(len(run.evaluation.query_ids)), *written])
    return rows


def _query_rows(runs: Sequence[MeasuredRun], names: Iterable[str], written: Callable[[float], str]) -> list[list[str]]:
    rows = [["run", "query_id", *map(str, runs[0].measures)]]
    for name, run in zip(names, runs, strict=True):
        columns = [run.evaluation.values[str(measure)].tolist() for measure in run.measures]
        for query_id, *values in zip(run.evaluation.query_ids, *columns, strict=True):
            rows.append([name, query_id, *map(written, values)])
    return rows


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")
