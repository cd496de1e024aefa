"""Labels as other commands read them: one row per judgement that still holds, sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from ragaliq.errors import InputError, listed
from ragaliq.metrics.answers.lgtm import lgtm_share
from ragaliq.review.held import held_labels
from ragaliq.review.labels import LABEL, Label, to_row
from ragaliq.review.rater_agreement import agreement_rows
from ragaliq.review.sheets import ReviewSource
from ragaliq.review.values import ReviewTask
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.storage.foreign import is_json_of, is_rows_of, refuse_foreign
from ragaliq.types import AgreementRow


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
    """The files written with their numbers of labels, how many labels no longer hold, LGTM@10, and agreement."""

    files: tuple[tuple[Path, int], ...]
    n_stale: int
    lgtm: tuple[LgtmRow, ...]
    agreement: tuple[AgreementRow, ...]


def export_labels(source: ReviewSource, out: Path, rater: str = "") -> Exported:
    """Write the labels of a review, and return what was written.

    Of runs `labels.jsonl` has all grades, `labels.RUN.jsonl` those of one run, `lgtm.jsonl` the judgements of what was
    retrieved, `lgtm.json` LGTM@10; of a benchmark each task has its file. `agreement.json` tells how far raters agree
    where several judged the same. A label counts while the texts that were judged are still there; of several by the
    same rater the last one counts. Files of an earlier export are replaced, or removed where there is nothing.

    Args:
        source: what is under review.
        out: the folder for the files.
        rater: whose labels; empty takes everybody's.

    Raises:
        InputError: if there are no labels, a file cannot be read or written, or another hand wrote it.
    """
    labels = held_labels(source, rater)
    place = source.folder / "review"
    if labels.raters and rater and rater not in labels.raters:
        raise InputError(f"--rater {rater}: no labels of that rater in {place}; {listed(labels.raters)}")
    if not labels.held:
        raise InputError(f"{place}: no labels here yet; `ragaliq review {source.folder}` first")
    advice = "give another folder with --export"
    if out.resolve() == place.resolve():
        raise InputError(f"{out}: holds the judgements themselves; {advice}")
    files: dict[str, list[Label]] = {}
    for label in labels.held:
        for name in _files_of(label):
            files.setdefault(name, []).append(label)
    for name in files:
        refuse_foreign(out / name, is_rows_of(LABEL), advice)
    for name, kind in (("lgtm.json", LgtmRow), ("agreement.json", AgreementRow)):
        refuse_foreign(out / name, is_json_of([dict.fromkeys(kind.__slots__, object)]), advice)
    earlier = {"labels.jsonl", *(f"{task}.jsonl" for task in ReviewTask)}
    # Also those of other raters, and of runs that are gone, whose names nothing has checked.
    earlier |= {name for label in labels.on_file for name in _files_of(label) if Path(name).name == name}
    lgtm, agreement = lgtm_rows(source, labels.held), agreement_rows(source, labels.held)
    for name in sorted(earlier - files.keys()):
        _remove_ours(out / name)
    for name, rows in files.items():
        write_jsonl(out / name, map(to_row, rows))
    _write_table(out / "lgtm.json", lgtm)
    _write_table(out / "agreement.json", agreement)
    written = tuple((out / name, len(rows)) for name, rows in sorted(files.items()))
    return Exported(written, labels.n_stale, lgtm, agreement)


def _write_table(path: Path, rows: Sequence[LgtmRow | AgreementRow]) -> None:
    if rows:
        write_json(path, [asdict(row) for row in rows])
    else:
        # Figures of an earlier export are not those of this one.
        path.unlink(missing_ok=True)


def _remove_ours(path: Path) -> None:
    """Remove the rows of an earlier export; what another hand wrote stays."""
    if path.is_file():
        with suppress(InputError):
            refuse_foreign(path, is_rows_of(LABEL), "")
            path.unlink()


def _files_of(label: Label) -> tuple[str, ...]:
    if label.task is ReviewTask.GRADE:
        return "labels.jsonl", f"labels.{label.place.run}.jsonl"
    return (f"{label.task}.jsonl",)


def lgtm_rows(source: ReviewSource, labels: Sequence[Label]) -> tuple[LgtmRow, ...]:
    """Return LGTM@10 per run, language and rater, and of all languages together where there are several."""
    groups: dict[tuple[str, str], dict[str, list[Label]]] = {}
    for label in labels:
        if label.task is ReviewTask.LGTM:
            groups.setdefault((label.place.run, label.rater), {}).setdefault(label.place.lang, []).append(label)
    queries = Counter((place.run, place.lang) for place in source.places(ReviewTask.LGTM, 0)) if groups else Counter()
    rows = []
    for (run, rater), by_lang in groups.items():
        sizes = {lang: queries[run, lang] for lang in by_lang}
        rows += [_lgtm_row(run, lang, rater, part, sizes[lang]) for lang, part in by_lang.items()]
        if len(by_lang) > 1:
            rows.append(_lgtm_row(run, "all", rater, [*chain(*by_lang.values())], sum(sizes.values())))
    return tuple(sorted(rows, key=lambda row: (row.run, row.lang, row.rater)))


def _lgtm_row(run: str, lang: str, rater: str, labels: Sequence[Label], n_queries: int) -> LgtmRow:
    share = lgtm_share([bool(label.value) for label in labels])
    ends = None if share.interval is None else (share.interval.low, share.interval.high)
    times = [label.at for label in labels]
    return LgtmRow(run, lang, rater, share.n, n_queries, share.good, share.share, ends, min(times), max(times))
