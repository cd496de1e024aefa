"""Labels as other commands read them: one row per judgement that still holds, sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from ragaliq.errors import InputError, listed
from ragaliq.metrics.answers.lgtm import lgtm_share
from ragaliq.review.labels import LABEL, Label, label_files, read_labels, to_row
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import ReviewTask, Runs
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.storage.foreign import is_json_of, is_rows_of, refuse_foreign


@dataclass(frozen=True, slots=True)
class LgtmRow:
    """LGTM@10 of one run and language by one rater, as in `lgtm.json`; `lang` is `all` for the languages together.

    `n_queries` counts the answerable queries, `n` those that are judged, `n_lgtm` those that look good; `lgtm_at_10` is
    their share with its interval `ci`. `first` and `last` are the times (UTC) of the earliest and the latest judgement
    that counts.
    """

    run: str
    lang: str
    rater: str
    n: int
    n_queries: int
    n_lgtm: int
    lgtm_at_10: float | None
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
        InputError: if there are no labels, a file cannot be read or written, or another hand wrote it.
    """
    labels = latest_labels(runs)
    raters = {label.rater for label in labels}
    if raters and rater and rater not in raters:
        raise InputError(f"--rater {rater}: no labels of that rater in {runs.folder / 'review'}; {listed(raters)}")
    judged = [label for label in labels if label.value is not None and rater in ("", label.rater)]
    held = [label for label in judged if _holds(runs, label)]
    if not held:
        raise InputError(f"{runs.folder / 'review'}: no labels of these runs yet; `ragaliq review {runs.folder}` first")
    advice = "give another folder with --export"
    if out.resolve() == (runs.folder / "review").resolve():
        raise InputError(f"{out}: holds the judgements themselves; {advice}")
    files: dict[str, list[Label]] = {}
    for label in held:
        graded = label.task is ReviewTask.GRADE
        for name in ("labels.jsonl", f"labels.{label.place.run}.jsonl") if graded else ("lgtm.jsonl",):
            files.setdefault(name, []).append(label)
    for name in files:
        refuse_foreign(out / name, is_rows_of(LABEL), advice)
    refuse_foreign(out / "lgtm.json", is_json_of([{key: object for key in LgtmRow.__slots__}]), advice)
    for name, rows in files.items():
        write_jsonl(out / name, map(to_row, rows))
    lgtm = lgtm_rows(runs, held)
    if lgtm:
        write_json(out / "lgtm.json", [asdict(row) for row in lgtm])
    written = tuple((out / name, len(rows)) for name, rows in sorted(files.items()))
    return Exported(written, len(judged) - len(held), lgtm)


def latest_labels(runs: Runs) -> list[Label]:
    """Return the last label of each rater, task and place, sorted."""
    latest: dict[tuple[ReviewTask, Place, str], Label] = {}
    for path in label_files(runs.folder):
        for label in read_labels(path, runs.only):
            latest[label.task, label.place, label.rater] = label
    return [latest[key] for key in sorted(latest)]


def lgtm_rows(runs: Runs, labels: Sequence[Label]) -> tuple[LgtmRow, ...]:
    """Return LGTM@10 per run, language and rater, and of all languages together where there are several."""
    groups: dict[tuple[str, str], dict[str, list[Label]]] = {}
    for label in labels:
        if label.task is ReviewTask.LGTM:
            groups.setdefault((label.place.run, label.rater), {}).setdefault(label.place.lang, []).append(label)
    rows = []
    for (run, rater), by_lang in groups.items():
        sizes = {lang: runs.size(run, lang) for lang in by_lang}
        rows += [_lgtm_row(run, lang, rater, part, sizes[lang]) for lang, part in by_lang.items()]
        if len(by_lang) > 1:
            rows.append(_lgtm_row(run, "all", rater, [*chain(*by_lang.values())], sum(sizes.values())))
    return tuple(sorted(rows, key=lambda row: (row.run, row.lang, row.rater)))


def _lgtm_row(run: str, lang: str, rater: str, labels: Sequence[Label], n_queries: int) -> LgtmRow:
    share = lgtm_share([bool(label.value) for label in labels])
    ends = None if share.interval is None else (share.interval.low, share.interval.high)
    times = [label.at for label in labels]
    return LgtmRow(run, lang, rater, share.n, n_queries, share.good, share.share, ends, min(times), max(times))


def _holds(runs: Runs, label: Label) -> bool:
    sheet = runs.sheet(label.task, label.place)
    return sheet is not None and sheet.sheet_id == label.sheet_id
