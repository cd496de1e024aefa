"""The judgements of each task: what fits, and the same value back from JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.review.values import NuggetMarks, ReviewTask, SegmentEdit, TranslationMark, value_from_json, value_to_json
from ragaliq.types import SupportReview, TranslationReview

MARKS = {"hallucinated": ["q1-2"], "redundant": [], "missing": 1}
TRANSLATED = {"label": "minor", "edits": [{"source": "At 09:15.", "after": "Um 09:15 Uhr."}]}


def test_each_task_has_its_judgements() -> None:
    assert value_from_json(ReviewTask.LGTM, True) is True
    assert value_from_json(ReviewTask.GRADE, None) is None
    assert value_from_json(ReviewTask.NUGGETS, MARKS) == NuggetMarks(frozenset({"q1-2"}), frozenset(), 1)
    assert value_from_json(ReviewTask.SUPPORT, "partial") is SupportReview.PARTIAL
    assert value_from_json(ReviewTask.TRANSLATION, TRANSLATED) == TranslationMark(
        TranslationReview.MINOR, (SegmentEdit("At 09:15.", "Um 09:15 Uhr."),)
    )


@pytest.mark.parametrize(
    ("task", "value"),
    [
        ("lgtm", 1),
        ("grade", -1),
        ("grade", 2.0),
        ("grade", True),
        ("grade", [1]),
        ("nuggets", "ok"),
        ("nuggets", {**MARKS, "missing": -1}),
        ("nuggets", {**MARKS, "missing": 100}),
        ("nuggets", {**MARKS, "missing": True}),
        ("nuggets", {**MARKS, "redundant": [1]}),
        ("nuggets", {"hallucinated": [], "missing": 0}),
        ("support", "supported"),
        ("support", 2),
        ("translation", "good"),
        ("translation", {"label": "fine", "edits": []}),
        ("translation", {"label": "good"}),
        ("translation", {"label": "good", "edits": [{"source": "a", "after": "  "}]}),
        ("translation", {"label": "good", "edits": [{"source": "a", "after": "x" * 20_001}]}),
    ],
)
def test_what_does_not_fit_is_refused(task: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{task}: .* is no judgement"):
        value_from_json(ReviewTask(task), value)


ids = st.frozensets(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=4)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)


@given(ids, ids, st.integers(0, 99))
def test_marks_come_back(hallucinated: frozenset[str], redundant: frozenset[str], missing: int) -> None:
    marks = NuggetMarks(hallucinated, redundant, missing)
    assert value_from_json(ReviewTask.NUGGETS, json.loads(json.dumps(value_to_json(marks)))) == marks


@given(st.sampled_from(TranslationReview), st.dictionaries(texts, texts.map(str.strip).filter(bool), max_size=3))
def test_translations_come_back(label: TranslationReview, edits: dict[str, str]) -> None:
    mark = TranslationMark(label, tuple(SegmentEdit(source, edits[source]) for source in sorted(edits)))
    assert value_from_json(ReviewTask.TRANSLATION, json.loads(json.dumps(value_to_json(mark)))) == mark
