"""`ragaliq.grade`: rows and frames in memory, as many out as in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ragaliq
from ragaliq.errors import RagaliqError
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome

ROWS: list[dict[str, Any]] = [
    {"user_input": "When does the canteen open?", "response": "At seven.", "reference": "At seven."},
    {"user_input": "When does the canteen open?", "response": "At seven.", "reference": "At seven."},
    {"user_input": "Wann schließt die Kantine am Abend?", "response": "Das weiß ich nicht.", "reference": "Um 9."},
    {"user_input": "几点开门？", "response": "七点。", "reference": ""},
]  # fmt: skip


class Five:
    name = "five"
    prompt_hash = "1"

    def grade(self, item: Item, answer: Answer) -> Verdict:
        return Verdict(item.query.query_id, item.query.lang, 5, VerdictOutcome.SCORED, "", "five", "1")


def test_rows_in_are_rows_out() -> None:
    graded = ragaliq.grade(ROWS)
    assert [{key: row[key] for key in ROWS[0]} for row in graded] == ROWS
    assert [row["grade"] for row in graded] == [5, 5, 0, None]
    assert [row["outcome"] for row in graded] == ["scored"] * 3 + ["no_reference"]
    assert [row["refuses"] for row in graded] == ["none", "none", "full", "none"]
    assert [row["lang"] for row in graded] == ["en", "en", "de", "zh"]


def test_a_frame_keeps_its_index_and_columns() -> None:
    frame = pd.DataFrame(ROWS, index=[7, 7, 1, 3])
    frame["when"] = pd.Timestamp("2026-01-01")
    frame["contexts"] = pd.Series([["The canteen opens at seven."], [], None, None], index=frame.index, dtype=object)
    before = frame.copy(deep=True)
    graded = ragaliq.grade(frame)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(graded[frame.columns], before)
    assert list(graded.index) == [7, 7, 1, 3] and str(graded["grade"].dtype) == "Int64"
    assert graded["grade"].isna().tolist() == [False, False, False, True]
    assert graded["check_outcome"].tolist() == ["scored", "scored", "no_contexts", "no_contexts"]
    # An empty list says that nothing was retrieved, so nothing supports the answer.
    assert graded["support"].iloc[1] == [{"text": "At seven.", "label": "unsupported", "context": None}]
    assert graded["supported_share"].iloc[1] == 0.0 and pd.isna(graded["supported_share"].iloc[2])


def test_an_own_judge_and_own_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"q": "When?", "a": "Now.", "gold": "Later."}]
    columns = {"question": "q", "answer": "a", "reference": "gold"}
    (graded,) = ragaliq.grade(rows, "python:unit.pipeline.answer_files.test_grade_frame:Five", columns=columns)
    assert graded["grade"] == 5 and graded["judge"] == "five"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "there is no row"),
        ("text", "a list of dicts or a pandas DataFrame, not str"),
        ([1], "a list of dicts or a pandas DataFrame, not list"),
        (pd.DataFrame({"question": ["a"]}), r"name it: columns=\{'answer': 'COLUMN'\}"),
        (pd.DataFrame([["a", "b"]], columns=["answer", "answer"]), "two columns are called 'answer'"),
    ],
)
def test_what_is_no_rows_is_said_in_one_line(rows: Any, said: str) -> None:
    with pytest.raises(RagaliqError, match=said):
        ragaliq.grade(rows)


def test_an_unknown_judge_is_said_before_any_work() -> None:
    with pytest.raises(RagaliqError, match="unknown kind 'offlin'"):
        ragaliq.grade(ROWS, "offlin")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
CELLS = st.none() | TEXTS | st.integers(-9, 9) | st.floats(allow_infinity=False)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "question": CELLS,
                "answer": CELLS,
                "reference": CELLS,
                "contexts": st.none() | TEXTS | st.lists(TEXTS, max_size=2),
            },
            optional={"note": CELLS, "id": st.integers()},
        ),
        min_size=1,
        max_size=6,
    )
)
def test_whatever_rows_hold_as_many_come_out(rows: list[dict[str, Any]]) -> None:
    graded = ragaliq.grade(rows)
    assert [repr({key: row[key] for key in one}) for row, one in zip(graded, rows, strict=True)] == list(
        map(repr, rows)
    )
    for row in graded:
        assert (row["grade"] is None) == (row["outcome"] != "scored")
        assert row["refuses"] in ("none", "partial", "full") and row["lang"]
        assert (row["support"] is None) == (row["check_outcome"] != "scored")
