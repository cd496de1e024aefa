"""What is judged, and the judgements that each task takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.own_json import misfit
from ragaliq.types import SupportReview, TranslationReview

# More facts than that are not missing but another answer.
MOST_MISSING = 99
# An edit is a segment, not a document.
_EDIT_CHARS = 20_000


class ReviewTask(StrEnum):
    """What is judged: of runs `grade` and `lgtm`, of a benchmark the others."""

    GRADE = "grade"  # An answer, by the rubric.
    LGTM = "lgtm"  # Whether the first ten chunks look good to answer the question.
    NUGGETS = "nuggets"  # The nuggets of an answer.
    SUPPORT = "support"  # Whether a document supports a nugget.
    TRANSLATION = "translation"  # A text and its translation.


RUN_TASKS = (ReviewTask.GRADE, ReviewTask.LGTM)
BENCHMARK_TASKS = (ReviewTask.NUGGETS, ReviewTask.SUPPORT, ReviewTask.TRANSLATION)


@dataclass(frozen=True, slots=True)
class NuggetMarks:
    """What is wrong with the nuggets of an answer: ids of those marked, and how many facts have none."""

    hallucinated: frozenset[str] = frozenset()
    redundant: frozenset[str] = frozenset()
    missing: int = 0


@dataclass(frozen=True, slots=True, order=True)
class SegmentEdit:
    """A corrected translation of a segment."""

    source: str
    after: str


@dataclass(frozen=True, slots=True)
class TranslationMark:
    """How good a translation is as it stands, and what it should be."""

    label: TranslationReview
    edits: tuple[SegmentEdit, ...] = ()


Value = int | bool | NuggetMarks | SupportReview | TranslationMark
_MARKS = {"hallucinated": [str], "redundant": [str], "missing": int}
_TRANSLATION = {"label": frozenset(TranslationReview), "edits": [{"source": str, "after": str}]}
_SCALES = {
    ReviewTask.GRADE: "0 to 5",
    ReviewTask.LGTM: "true or false",
    ReviewTask.NUGGETS: "an object with hallucinated, redundant and missing",
    ReviewTask.SUPPORT: ", ".join(SupportReview),
    ReviewTask.TRANSLATION: f"an object with label ({', '.join(TranslationReview)}) and edits",
}


def value_from_json(task: ReviewTask, value: Any) -> Value | None:
    """Return the judgement in a JSON value; None is none.

    Raises:
        InputError: if it does not fit the task.
    """
    if value is None:
        return None
    judgement = _read(task, value)
    if judgement is None:
        raise InputError(f"{task}: {value!r} is no judgement; {_SCALES[task]}")
    return judgement


def value_to_json(value: Value | None) -> Any:
    """Return the JSON value of a judgement; the same judgement is the same bytes."""
    if isinstance(value, NuggetMarks):
        return {
            "hallucinated": sorted(value.hallucinated),
            "redundant": sorted(value.redundant),
            "missing": value.missing,
        }
    if isinstance(value, TranslationMark):
        edits = [{"source": edit.source, "after": edit.after} for edit in sorted(value.edits)]
        return {"label": str(value.label), "edits": edits}
    return str(value) if isinstance(value, SupportReview) else value


def _read(task: ReviewTask, value: Any) -> Value | None:
    match task:
        case ReviewTask.GRADE:
            return value if type(value) is int and 0 <= value <= 5 else None
        case ReviewTask.LGTM:
            return value if type(value) is bool else None
        case ReviewTask.NUGGETS:
            return _read_marks(value)
        case ReviewTask.SUPPORT:
            return SupportReview(value) if isinstance(value, str) and value in set(SupportReview) else None
        case ReviewTask.TRANSLATION:
            return _read_translation(value)


def _read_marks(value: Any) -> NuggetMarks | None:
    if misfit(value, _MARKS) or value["missing"] > MOST_MISSING:
        return None
    return NuggetMarks(frozenset(value["hallucinated"]), frozenset(value["redundant"]), value["missing"])


def _read_translation(value: Any) -> TranslationMark | None:
    if misfit(value, _TRANSLATION):
        return None
    edits = {edit["source"]: SegmentEdit(edit["source"], edit["after"].strip()) for edit in value["edits"]}
    if any(not edit.after or len(edit.after) > _EDIT_CHARS for edit in edits.values()):
        return None
    return TranslationMark(TranslationReview(value["label"]), tuple(edits[source] for source in sorted(edits)))
