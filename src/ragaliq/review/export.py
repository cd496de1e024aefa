"""Labels as other commands read them: one row per judgement that still holds, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, listed
from ragaliq.metrics.answers.lgtm import lgtm_share
from ragaliq.review.labels import Label, label_files, read_labels, to_row
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import ReviewTask, Runs
from ragaliq.storage.files import write_json, write_jsonl


@dataclass(frozen=True, slots=True)
class LgtmRow:
    """LGTM@10 of one run and language by one rater; `lang` is `all` for the languages together.

    `n_queries` counts the answerable queries, `n` those that are judged; `first` and `last` are the times (UTC) of the
    earliest and the latest judgement that counts.
    """

    run: str
    lang: str
    rater: str
    n: int
    n_queries: int
    good: int
    share: float | None
    ci: tuple[float, float] | None
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Exported:
    """The files written with their numbers of labels, how many labels no longer hold, and LGTM@10."""

    files: tuple[tuple[Path, int], ...]
    n_stale: int
    lgtm: tuple[LgtmRow, ...]


def export_labels(runs: Runs, out: Path, rater: str = "") -> Exported:
    """Write the labels of a review, and return what was written.

    `labels.jsonl` has all grades, `labels.RUN.jsonl` those of one run, `lgtm.jsonl` the judgements of what was
    retrieved, `lgtm.json` LGTM@10. A label counts while its run still has the texts that were judged; of several by the
    same rater the last one counts. Files of an earlier export are replaced.

    Args:
        runs: the runs under review.
        out: the folder for the files.
        rater: whose labels; empty takes everybody's.

    Raises:
        InputError: if there are no labels, or a file cannot be read or written.
    """
    labels = latest_labels(runs)
    raters = {label.rater for label in labels}
    if raters and rater and rater not in raters:
        raise InputError(f"--rater {rater}: no labels of that rater in {runs.folder / 'review'}; {listed(raters)}")
    own = [label for label in labels if label.value is not None and rater in ("", label.rater)]
    held = [label for label in own if _holds(runs, label)]
    if not held:
        raise InputError(f"{runs.folder / 'review'}: no labels of these runs yet; `ragaliq review {runs.folder}` first")
    files: dict[str, list[Label]] = {}
    for label in held:
        graded = label.task is ReviewTask.GRADE
        for name in ("labels.jsonl", f"labels.{label.place.run}.jsonl") if graded else ("lgtm.jsonl",):
            files.setdefault(name, []).append(label)
    for name, rows in files.items():
        write_jsonl(out / name, map(to_row, rows))
    lgtm = lgtm_rows(runs, held)
    if lgtm:
        write_json(out / "lgtm.json", [_to_json(row) for row in lgtm])
    written = tuple((out / name, len(rows)) for name, rows in sorted(files.items()))
    return Exported(written, len(own) - len(held), lgtm)


def latest_labels(runs: Runs) -> list[Label]:
    """Return the last label of each rater, task and place, sorted."""
    latest: dict[tuple[ReviewTask, Place, str], Label] = {}
    for path in label_files(runs.folder):
        for label in read_labels(path, runs.only):
            latest[label.task, label.place, label.rater] = label
    return [latest[key] for key in sorted(latest)]


def lgtm_rows(runs: Runs, labels: Sequence[Label]) -> tuple[LgtmRow, ...]:
    """Return LGTM@10 per run, language and rater, and of all languages together where there are several."""
    groups: dict[tuple[str, str, str], list[Label]] = {}
    for label in labels:
        if label.task is ReviewTask.LGTM:
            for lang in (label.place.lang, "all"):
                groups.setdefault((label.place.run, lang, label.rater), []).append(label)
    langs = {(run, rater, lang) for run, lang, rater in groups if lang != "all"}
    rows = []
    for (run, lang, rater), own in sorted(groups.items()):
        judged = sorted({there for name, person, there in langs if (name, person) == (run, rater)})
        if lang == "all" and len(judged) == 1:
            continue
        share = lgtm_share([bool(label.value) for label in own])
        ends = None if share.interval is None else (share.interval.low, share.interval.high)
        total = sum(runs.size(run, one) for one in (judged if lang == "all" else [lang]))
        times = sorted(label.at for label in own)
        rows.append(
            LgtmRow(run, lang, rater, share.n, total, share.good, share.share, ends, times[0], times[-1])
        )  # fmt: skip
    return tuple(rows)


def _holds(runs: Runs, label: Label) -> bool:
    sheet = runs.sheet(label.task, label.place)
    return sheet is not None and sheet.sheet_id == label.sheet_id


def _to_json(row: LgtmRow) -> dict[str, Any]:
    return {
        "run": row.run, "lang": row.lang, "rater": row.rater, "n": row.n, "n_queries": row.n_queries,
        "n_lgtm": row.good, "lgtm_at_10": row.share, "ci": None if row.ci is None else list(row.ci),
        "first": row.first, "last": row.last,
    }  # fmt: skip
