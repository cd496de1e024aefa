"""The labels of all raters that count: the latest of each, as long as the texts that were judged are still there."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.review.labels import Label, label_files, read_labels
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import ReviewSource
from ragaliq.review.values import ReviewTask


@dataclass(frozen=True, slots=True)
class Held:
    """The judgements that still hold, sorted, how many do not, and the last labels of everybody, held or not."""

    held: tuple[Label, ...]
    n_stale: int
    on_file: tuple[Label, ...]

    @property
    def raters(self) -> frozenset[str]:
        """Who has labels at all."""
        return frozenset(label.rater for label in self.on_file)


def held_labels(source: ReviewSource, rater: str = "") -> Held:
    """Return the last judgement of each rater, task and place, of one rater or of all; a note alone is none.

    Raises:
        InputError: if a line of a label file is no label.
    """
    latest: dict[tuple[ReviewTask, Place, str], Label] = {}
    for path in label_files(source.folder):
        for label in read_labels(path, source.only):
            latest[label.task, label.place, label.rater] = label
    judged = [latest[key] for key in sorted(latest) if latest[key].value is not None and rater in ("", key[2])]
    held = tuple(label for label in judged if _holds(source, label))
    return Held(held, len(judged) - len(held), tuple(latest.values()))


def _holds(source: ReviewSource, label: Label) -> bool:
    sheet = source.sheet(label.task, label.place)
    return sheet is not None and sheet.sheet_id == label.sheet_id
