"""Aggregates of whatever holds grades: run folders, verdict files, reference logs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ragaliq.aggregate.query_grades import read_query_grades
from ragaliq.aggregate.summary import Summary, summarise_run
from ragaliq.errors import InputError
from ragaliq.formats.grades.reference_logs import read_reference_log
from ragaliq.metrics.answers.aggregates import Aggregates, aggregate
from ragaliq.metrics.statistics.rank_sets import RankSet
from ragaliq.report.format import ranks
from ragaliq.runs.folder import RunFolder

Named = tuple[str, Summary]


def summarise_file(path: Path, n_expected: int | None = None) -> list[Summary]:
    """Return a summary for each language in a run folder, a `verdicts.jsonl`, or a reference log.

    Raises:
        InputError: if the path is none of these, a grade is off the scale, or there are more rows than expected.
    """
    if path.is_dir():
        if n_expected is not None:
            raise InputError(f"{path}: a run knows how many queries it has; leave out --n-expected")
        return _summarise_folder(RunFolder(path))
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the path")
    if path.suffix == ".jsonl":
        if path.name == "verdicts.jsonl" and (path.parent / "config.json").is_file():
            return summarise_file(path.parent, n_expected)
        return _summarise_rows(path, n_expected)
    log = read_reference_log(path)
    consistency = fmean(log.consistency) if log.consistency else None
    return [Summary(log.lang, log.judge, _checked(path, log.grades, n_expected), consistency)]


def _summarise_folder(folder: RunFolder) -> list[Summary]:
    return summarise_run(folder, folder.config()["system"]["seed"])


def _summarise_rows(path: Path, n_expected: int | None) -> list[Summary]:
    """Summarise rows; verdicts away from their run do not say which queries are answerable."""
    summaries = []
    for graded in read_query_grades(path):
        judges = sorted({judge.name for judge in graded.judges})
        grades = [answer.grade for answer in graded.answers.values()]
        summaries.append(Summary(graded.lang, " + ".join(judges) or None, _checked(path, grades, n_expected), None))
    return summaries


def _checked(path: Path, grades: Sequence[int | None], n_expected: int | None) -> Aggregates:
    try:
        return aggregate(grades, n_expected)
    except ValueError as error:
        raise InputError(f"{path}: {error}; check --n-expected") from None


def render(
    summaries: Sequence[Named],
    form: str,
    placed: Mapping[tuple[str, str], RankSet] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return summaries as `json`, `csv` or `md`.

    Args:
        summaries: the summaries, each with the name of its file.
        form: `json`, `csv` or `md`.
        placed: the ranks that the data leave open, by file and language.
        notes: lines that stand under the table of `md`.
    """
    known = placed or {}
    objects = [
        {"file": name, **summary.to_json(), "rank_ci": _ends(known.get((name, summary.lang)))}
        for name, summary in summaries
    ]
    if form == "json":
        return json.dumps(objects, ensure_ascii=False, indent=2, allow_nan=False)
    import pandas

    rows = [_flat(row) for row in objects]
    if form == "csv":
        return str(pandas.DataFrame(rows, dtype=object).to_csv(index=False)).rstrip("\n")
    shown = [{key: _cell(value) for key, value in row.items() if key != "mean_weight"} for row in rows]
    table = str(pandas.DataFrame(shown, dtype=str).to_markdown(index=False, disable_numparse=True))
    return "\n\n".join([table, *(["\n".join(f"- {note}" for note in notes)] if notes else [])])


def _ends(placed: RankSet | None) -> list[int] | None:
    return None if placed is None else [placed.low, placed.high]


def _cell(value: Any) -> str:
    if value is None:
        return "—"
    return f"{value:g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return an aggregate object as one row of a table."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key == "counts":
            flat.update(value)
        elif key in ("weighted_score_ci", "weighted_score_bounds"):
            low, high = value or (None, None)
            flat[f"{key}_low"], flat[f"{key}_high"] = low, high
        elif key == "rank_ci":
            flat[key] = None if value is None else ranks(*value)
        elif key == "abstention":
            flat.update({f"abstention_{name}": (value or {}).get(name) for name in ("precision", "recall", "f1")})
        else:
            flat[key] = value
    return flat
