"""The cuts that part an expected grade into 1 to 5: refitted on labels of one's own, and kept in a file."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.storage.files import read_json

FORMAT = "ragaliq-offline-cuts-1"
# What a cut may be, the step in which it is searched, and how many answers on the right side it must win to move by 1.
_LEAST, _MOST, _STEPS = 1.0, 5.0, 20
_WORTH_OF_1 = 5.0


@dataclass(frozen=True, slots=True)
class Cuts:
    """Four cuts in ascending order, the model that they belong to, and a hash of the file that they come from."""

    values: tuple[float, ...]
    model: str
    sha256: str


def refit_cuts(expected: Sequence[float], labels: Sequence[int], cuts: Sequence[float]) -> tuple[float, ...]:
    """Return the cuts that grade best by mean absolute error, near the present ones.

    The error of a grade is the number of cuts between it and the label, so each cut is fitted by itself: to the value
    with the fewest answers on its wrong side, where moving it by 1 costs as much as five answers. Ties go to the
    smallest move. Leave out labels of 0 and answers whose grade does not depend on the cuts.
    """
    fitted: list[float] = []
    for place, cut in enumerate(cuts, start=1):
        least = max([_LEAST, *fitted[-1:]])
        # In whole steps, so that the sums are exact.
        candidates = [step / _STEPS for step in range(round(least * _STEPS), round(_MOST * _STEPS) + 1)]
        wrong = {
            value: sum((one >= value) != (label > place) for one, label in zip(expected, labels, strict=True))
            for value in candidates
        }
        fitted.append(
            min(candidates, key=lambda value: (wrong[value] + _WORTH_OF_1 * abs(value - cut), abs(value - cut)))
        )
    return tuple(fitted)


def grade_by(cuts: Sequence[float], expected: float) -> int:
    """Return the grade 1..5 of an expected grade; a value on a cut goes up."""
    return 1 + bisect_right(cuts, expected)


def read_cuts(path: str, model: str) -> Cuts:
    """Read what `ragaliq agree --recalibrate` wrote.

    Raises:
        ConfigError: if the file is none, or was fitted on another version of the judge.
    """
    file = Path(path)
    if not file.is_file():
        raise ConfigError(
            f"judge 'offline': cuts: {path}: no such file; `ragaliq agree … --recalibrate {path}` writes it"
        )
    data: Any = read_json(file)
    values = data.get("cuts") if isinstance(data, dict) and data.get("format") == FORMAT else None
    if not isinstance(values, list) or len(values) != 4 or not all(_is_cut(value) for value in values):
        raise ConfigError(f"judge 'offline': cuts: {path}: not a file of `ragaliq agree --recalibrate`")
    if values != sorted(values):
        raise ConfigError(f"judge 'offline': cuts: {path}: the four cuts must ascend, not {values}")
    if data.get("judge") != model:
        raise ConfigError(
            f"judge 'offline': cuts: {path}: fitted on the judge {data.get('judge')}, this is {model}; refit them"
        )
    return Cuts(tuple(map(float, values)), model, hashlib.sha256(file.read_bytes()).hexdigest())


def _is_cut(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 6
