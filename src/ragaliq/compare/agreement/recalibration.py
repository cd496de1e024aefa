"""The offline judge's cuts refitted on a few of the user's labels, and the gain on labels left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragaliq.aggregate.grades.graded import Graded, load_graded
from ragaliq.aggregate.run_rows import run_at
from ragaliq.compare.agreement.pairs import pair_up
from ragaliq.errors import InputError
from ragaliq.judge.offline.cuts import FORMAT, refit_cuts
from ragaliq.judge.offline.judge import OfflineJudge
from ragaliq.metrics.agreement.coefficients import agreement
from ragaliq.runs.rows import ANSWERS, RunAnswer
from ragaliq.storage.record_store import RecordStore

# The most labels that the cuts are fitted on, and the fewest.
MOST_LABELS, LEAST_LABELS = 50, 20
# With fewer labels left over, those of the fit are cross-validated.
_LEAST_LEFT_OUT, _FOLDS = 20, 5


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The refitted cuts.

    Attributes:
        content: what the file holds, the figures before and after among it.
        gained: whether the mean absolute error on labels left out is lower than before.
    """

    content: dict[str, Any]
    gained: bool


@dataclass(frozen=True, slots=True)
class _Labelled:
    answered: RunAnswer
    label: int
    cluster: str


def recalibrate(verdicts: Path, labels: Graded, seed: int = 0) -> Recalibration:
    """Refit the cuts on at most 50 labels, drawn by query, and measure them on the others.

    Where fewer than 20 others are left, the labels of the fit are cross-validated by query. No label is measured by
    cuts that were fitted on it.

    Raises:
        InputError: if VERDICTS is no run (the reference is needed), or fewer than 20 of its answers have a label.
    """
    run = run_at(verdicts)
    if run is None or not run.config_file.is_file():
        raise InputError(f"--recalibrate: {verdicts} is no run folder; the references in its answers.jsonl are needed")
    answers = RecordStore(run.answers_file, ANSWERS)
    pairs = pair_up(load_graded(verdicts), labels).pairs
    rows = [_Labelled(answers[pair.row.lang, pair.row.query_id], pair.label, pair.cluster) for pair in pairs]
    if len(rows) < LEAST_LABELS:
        raise InputError(f"--recalibrate: {len(rows)} labelled answers are too few; label {LEAST_LABELS} or more")
    judge = OfflineJudge()
    groups = _groups(rows, seed)
    fit, left_out = _drawn(groups)
    cuts = _refitted(judge, fit)
    if len(left_out) >= _LEAST_LEFT_OUT:
        how = "on the labels that were not fitted on"
        measured = [(row, _grade(judge.recut(cuts), row)) for row in left_out]
    else:
        how, measured = f"by {_FOLDS}-fold cross-validation over queries", _cross_validated(judge, fit)
    graded = [row for row, _ in measured]
    before = _figures([_grade(judge, row) for row in graded], graded)
    after = _figures([grade for _, grade in measured], graded)
    content = {
        "format": FORMAT,
        "judge": judge.prompt_hash,
        "cuts": list(cuts),
        "labels": {"source": labels.name, "sha256": labels.sha256, "n_fitted": len(fit), "n_left_out": len(left_out)},
        "measured": how,
        "before": before,
        "after": after,
    }
    return Recalibration(content, after["mae"] < before["mae"])


def _groups(rows: Sequence[_Labelled], seed: int) -> list[list[_Labelled]]:
    """Return the rows by query, the queries in a random order."""
    groups: dict[str, list[_Labelled]] = {}
    for row in rows:
        groups.setdefault(row.cluster, []).append(row)
    order = np.random.default_rng(seed).permutation(len(groups))
    names = sorted(groups)
    return [groups[names[place]] for place in order]


def _drawn(groups: Sequence[list[_Labelled]]) -> tuple[list[_Labelled], list[_Labelled]]:
    """Return the rows to fit on, of whole queries as long as they are at most 50, and the rows left out."""
    fit: list[_Labelled] = []
    left_out: list[_Labelled] = []
    for group in groups:
        (fit if len(fit) + len(group) <= MOST_LABELS and not left_out else left_out).extend(group)
    return (fit, left_out) if fit else (left_out[:MOST_LABELS], left_out[MOST_LABELS:])


def _cross_validated(judge: OfflineJudge, rows: Sequence[_Labelled]) -> list[tuple[_Labelled, int]]:
    names = list(dict.fromkeys(row.cluster for row in rows))
    fold = {name: place % _FOLDS for place, name in enumerate(names)}
    graded = []
    for number in range(_FOLDS):
        recut = judge.recut(_refitted(judge, [row for row in rows if fold[row.cluster] != number]))
        graded += [(row, _grade(recut, row)) for row in rows if fold[row.cluster] == number]
    return graded


def _refitted(judge: OfflineJudge, rows: Sequence[_Labelled]) -> tuple[float, ...]:
    weighed = [(judge.weigh(row.answered.item, row.answered.answer), row.label) for row in rows]
    kept = [(one.expected, label) for one, label in weighed if one and one.expected is not None and label > 0]
    return refit_cuts([expected for expected, _ in kept], [label for _, label in kept], judge.cuts)


def _grade(judge: OfflineJudge, row: _Labelled) -> int:
    weighed = judge.weigh(row.answered.item, row.answered.answer)
    # A label without a verdict is no pair, so every row had a grade.
    assert weighed is not None
    return weighed.grade


def _figures(grades: Sequence[int], rows: Sequence[_Labelled]) -> dict[str, Any]:
    values = agreement(grades, [row.label for row in rows])
    return {"n": values.n, "qwk": values.qwk, "exact": values.exact, "mae": values.mae}
