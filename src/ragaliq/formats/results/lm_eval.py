"""Samples of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, which `--log_samples` writes.

Written after the files of version 0.4.13; those since 0.4.3 have the same keys.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.formats.results.rows import ResultFile, ResultRow, Scale
from ragaliq.formats.results.values import ID_NAMES, first_of, json_value, lang_of, plain_text, plain_texts, scale_of
from ragaliq.storage.files import Row, parse_json, read_text
from ragaliq.text.language_names import english_name

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)")
# A row's keys that are no metrics; versions before 0.4.6 have no list of metrics.
_OTHERS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
}  # fmt: skip
# Metrics of the harness in which less is better, where no file of results says so.
_LESS = {"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ter", "brier_score", "wer"}


@dataclass(frozen=True, slots=True)
class _Task:
    """What the name of the file and the file of results beside it say."""

    name: str
    system: str
    tool: str
    revision: str = ""
    means: Mapping[str, Any] = field(default_factory=dict)
    higher: Mapping[str, Any] = field(default_factory=dict)
    n_expected: int | None = None
    notes: tuple[str, ...] = ()


def is_lm_eval(row: Row) -> bool:
    """Return whether a row is a sample of the harness."""
    return {"doc_id", "doc", "resps", "filtered_resps"} <= row.keys()


def read_lm_eval(rows: list[tuple[str, Row]], path: Path) -> ResultFile:
    """Return the samples of a task; the rows of one document, one for each filter, are one answer.

    The system, the number of documents and the direction of metrics come from `results_DATE.json` beside the file. A
    metric is called `metric,filter`, as there, where samples have several filters. An item is the document's id where
    that is unique in a language, else its number. A list of numbers is their mean if the mean over all documents is
    what the harness reports; else the metric is one of the corpus: it has no value for an item and is left out.

    Raises:
        InputError: if a row is no sample, or no metric has values for items.
    """
    task = _task(path)
    several = len({plain_text(row.get("filter")) for _, row in rows}) > 1
    cells: dict[str, dict[int, Any]] = defaultdict(dict)
    draws: Counter[tuple[str, str]] = Counter()
    samples: dict[tuple[str, int], tuple[int, str, Row]] = {}
    for where, row in rows:
        if not is_lm_eval(row) or not isinstance(row["doc_id"], int | str):
            raise InputError(f"{where}: not a sample of lm-eval (doc_id, doc, resps, filtered_resps); log them again")
        number, kind = plain_text(row["doc_id"]), plain_text(row.get("filter"))
        draws[number, kind] += 1
        key = (number, draws[number, kind])
        place = samples.setdefault(key, (len(samples), where, row))[0]
        for metric in _metrics(row, where):
            cells[f"{metric},{kind}" if several else metric][place] = row.get(metric)
    values, notes = _values(cells, [where for _, where, _ in samples.values()], task)
    return _file(list(samples.items()), values, task, notes)


def _metrics(row: Row, where: str) -> list[str]:
    names = row.get("metrics", [key for key in row if key not in _OTHERS])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{where}: 'metrics' must be a list of names; log the samples again")
    return names


def _values(
    cells: Mapping[str, Mapping[int, Any]], wheres: Sequence[str], task: _Task
) -> tuple[dict[str, dict[int, float | None]], list[str]]:
    values, notes = {}, []
    for metric, by_place in cells.items():
        bad = next((place for place, cell in by_place.items() if not _is_value(cell)), None)
        if bad is None:
            values[metric] = {place: json_value(cell, metric, wheres[place]) for place, cell in by_place.items()}
            continue
        means = _list_means(by_place.values())
        reported = task.means.get(metric if "," in metric else f"{metric},none")
        if means is not None and isinstance(reported, int | float) and _same(sum(means) / len(means), reported):
            values[metric] = dict(zip(by_place, means, strict=True))
            notes.append(f"{metric}: the mean of each answer's list")
        else:
            notes.append(f"{metric}: left out, it has no value for each item ({wheres[bad]})")
    if not values:
        raise InputError(f"{wheres[0].rpartition(':')[0]}: no metric has a value for each item; log one that has")
    return values, notes


def _is_value(cell: Any) -> bool:
    return cell is None or isinstance(cell, int | float)


def _list_means(cells: Iterable[Any]) -> list[float] | None:
    lists = [cell if isinstance(cell, list) else [cell] for cell in cells]
    if not all(one and all(isinstance(value, int | float) for value in one) for one in lists):
        return None
    return [sum(one) / len(one) for one in lists]


def _same(mean: float, reported: float) -> bool:
    return math.isclose(mean, reported, rel_tol=1e-9, abs_tol=1e-12)


def _file(
    samples: list[tuple[tuple[str, int], tuple[int, str, Row]]],
    values: Mapping[str, Mapping[int, float | None]],
    task: _Task,
    notes: list[str],
) -> ResultFile:
    texts = [plain_texts(row["doc"] if isinstance(row["doc"], dict) else {}, at) for _, (_, at, row) in samples]
    ids = [(first_of(one, ID_NAMES), lang_of(one), draw) for one, ((_, draw), _) in zip(texts, samples, strict=True)]
    by_id = all(item for item, _, _ in ids) and len(set(ids)) == len(ids)
    from_name = "" if any(lang for _, lang, _ in ids) else _lang_in(task.name)
    if from_name:
        notes.append(f"language {from_name}: from the task's name, {task.name}")
    notes.append("items: by the id in the document" if by_id else "items: by doc_id")
    rows = tuple(
        ResultRow(
            where,
            item if by_id else number,
            {metric: by_place[place] for metric, by_place in values.items() if place in by_place},
            task.system,
            lang or from_name,
            "" if all(by_place.get(place) is not None for by_place in values.values()) else "no value",
            first_of(one, USUAL_NAMES["question"]),
            draw,
            fields=one,
        )
        for (item, lang, _), one, ((number, draw), (place, where, _)) in zip(ids, texts, samples, strict=True)
    )
    scales = {metric: _scale(metric, by_place.values(), task) for metric, by_place in values.items()}
    # The number is that of the whole file.
    n_expected = task.n_expected if len({row.lang for row in rows}) == 1 else None
    # The files of a task in several languages are one set of data.
    data = f"{task.name.removesuffix(f'_{from_name}')} {task.revision}".strip()
    return ResultFile(task.tool, rows, scales, "", data, n_expected, (*task.notes, *notes))


def _lang_in(task: str) -> str:
    """Return the code of a language that ends a task's name, as in `xquad_de`; empty if none does."""
    match = re.fullmatch(r".+_([a-z]{2})", task)
    return match[1] if match and english_name(match[1]) != match[1] else ""


def _scale(metric: str, values: Iterable[float | None], task: _Task) -> Scale:
    name = metric.partition(",")[0]
    higher = task.higher.get(name)
    return scale_of(values, not higher if isinstance(higher, bool) else name in _LESS)


def _task(path: Path) -> _Task:
    match = _NAME.fullmatch(path.stem)
    name = match["task"] if match else path.stem
    beside = path.with_name(f"results_{match['date']}.json") if match else path
    if not match or not beside.is_file():
        note = (
            "no results_DATE.json beside it: the system goes by the folder's name, the direction of metrics by theirs"
        )
        return _Task(name, path.resolve().parent.name, "lm-eval", notes=(f"{path}: {note}",))
    results = parse_json(read_text(beside), str(beside), constants=True)
    told: dict[str, Any] = results if isinstance(results, dict) else {}

    def of_task(key: str) -> Any:
        by_task = told.get(key)
        return by_task.get(name) if isinstance(by_task, dict) else None

    counts = of_task("n-samples") or {}
    effective, original = (counts.get(key) if isinstance(counts, dict) else None for key in ("effective", "original"))
    notes = (f"{effective} of the task's {original} documents were evaluated",) if effective != original else ()
    version, revision = (plain_text(value) for value in (told.get("lm_eval_version"), of_task("versions")))
    return _Task(
        name,
        plain_text(told.get("model_name")) or path.resolve().parent.name,
        f"lm-eval {version}".strip(),
        revision,
        of_task("results") if isinstance(of_task("results"), dict) else {},
        of_task("higher_is_better") if isinstance(of_task("higher_is_better"), dict) else {},
        effective if isinstance(effective, int) else None,
        notes,
    )
